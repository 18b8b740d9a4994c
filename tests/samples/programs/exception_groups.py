"""except* in its ways."""
def group(*kinds):
    return ExceptionGroup("g", [k(1) for k in kinds])

def handled(*kinds):
    out = []
    try:
        if kinds:
            raise group(*kinds)
        out.append("none")
    except* KeyError as e:
        out.append(len(e.exceptions))
    except* (ValueError, TypeError):
        out.append("v")
    else:
        out.append("else")
    finally:
        out.append("finally")
    return out

def partly(*kinds):
    try:
        return handled(*kinds)
    except ExceptionGroup as rest:
        return repr(rest)

def raises_inside():
    try:
        try:
            raise group(KeyError, ValueError)
        except* KeyError:
            raise TypeError(1)
        except* ValueError as v:
            a = 1
    except ExceptionGroup as e:
        return len(e.exceptions)

def naked():
    try:
        raise KeyError(1)
    except* KeyError as e:
        n = len(e.exceptions)
    return n

def loop():
    for kind in (KeyError, ValueError):
        try:
            raise group(kind)
        except* KeyError:
            pass
        except* ValueError: pass

def main():
    return [handled(), handled(KeyError), handled(KeyError, ValueError), partly(OSError, KeyError), raises_inside(), naked(), loop()]
