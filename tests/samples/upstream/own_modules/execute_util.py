raise ImportError("the original engine itself; a recording must not load it")
