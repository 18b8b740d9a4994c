"""Every way through try, except, else and finally."""
import itertools

def finally_returns():
    try:
        return 1
    finally:
        return 2

def finally_overrides_error():
    try:
        raise KeyError(1)
    finally:
        return 3

def finally_continues():
    out = []
    for i in range(3):
        try:
            out.append(i)
            if i == 1:
                raise ValueError(i)
        except ValueError:
            continue
        else:
            out.append("else")
        finally:
            out.append("finally")
            if i == 2:
                break
    else:
        out.append("never")
    return out

def finally_breaks():
    while True:
        try:
            return 1
        finally:
            break
    return 2

def finally_continue_in_loop():
    n = 0
    for i in range(3):
        try:
            n += 1
            raise KeyError
        finally:
            n += 10
            continue
    return n

def nested():
    log = []
    try:
        try:
            try:
                log.append(1)
                raise KeyError("a")
            finally:
                log.append(2)
        except ValueError:
            log.append("no")
        finally:
            log.append(3)
            try:
                raise ValueError("b")
            except ValueError as e:
                log.append(str(e))
    except KeyError as e:
        log.append(repr(e))
        try:
            raise TypeError from e
        except TypeError as again:
            log.append(type(again.__cause__).__name__)
    return log

def reraise():
    try:
        try:
            1 / 0
        except ZeroDivisionError:
            raise
        finally:
            a = 1
    except ZeroDivisionError as e:
        return str(e)

def many_handlers(kind):
    try:
        if kind:
            raise kind
        x = 1
    except (KeyError, IndexError) as e:
        return "lookup"
    except ValueError:
        return "value"
    except:
        return "bare"
    else:
        return "else"
    finally:
        x = 2
    return "after"

def empty():
    try:
        pass
    except ValueError:
        pass
    finally:
        pass

def only_pass(kind):
    try:
        if kind: raise kind
    except ValueError: pass
    except KeyError:
        pass
    else:
        pass
    finally: pass

def try_in_finally():
    try:
        pass
    finally:
        try:
            x = 1
        except ValueError:
            y = 2
        else:
            z = 3
        finally:
            w = 4
    return w

def try_at_end_loop():
    for i in range(2):
        try:
            int("x")
        except ValueError:
            pass

def try_loop_end_finally():
    try:
        for i in range(2):
            pass
    finally:
        for j in range(1):
            pass

def assertion():
    try:
        assert 1 == 2, (
            "no"
            " way")
    except AssertionError as e:
        return str(e)

def deleted_name():
    try:
        raise KeyError(1)
    except KeyError as e:
        del e
    try:
        return e
    except NameError:
        return "gone"

def exception_in_handler():
    try:
        try:
            raise KeyError(1)
        except KeyError as e:
            e.x = 1
            raise ValueError(2)
    except ValueError as v:
        return type(v.__context__)

def exception_in_except_expression():
    def which():
        return KeyError
    try:
        try:
            raise KeyError(1)
        except which():
            a = 1
        try:
            raise KeyError(1)
        except ValueError:
            b = 1
        except which():
            b = 2
    except KeyError:
        c = 1
    return a, b

def with_return():
    class M:
        def __enter__(self):
            return self
        def __exit__(self, *a):
            log.append(1)
            return True
    log = []
    with M() as m, M() as n:
        with M():
            raise KeyError
        log.append(2)
        return log
    return "swallowed"

def with_swallow():
    class M:
        def __enter__(self): return 5
        def __exit__(self, kind, e, tb):
            return kind is KeyError
    for i in range(3):
        with M() as x:
            if i == 1:
                raise KeyError
            if i == 2:
                break
            continue
    with (
        M() as a,
        M() as b,
    ):
        raise KeyError
    return x

def with_in_loop_last():
    class M:
        def __enter__(self): return 5
        def __exit__(self, *a): return None
    for i in range(2):
        with M():
            pass

def untaken_branch_at_the_end_of_finally(kind):
    try:
        if kind:
            raise kind(1)
    finally:
        if kind is ValueError:
            a = 1

def main():
    out = []
    for f in (finally_returns, finally_overrides_error, finally_continues, finally_breaks, finally_continue_in_loop,
              nested, reraise, empty, try_in_finally, try_at_end_loop, try_loop_end_finally, assertion, deleted_name,
              exception_in_handler, exception_in_except_expression, with_return, with_swallow, with_in_loop_last):
        out.append(f())
    for kind in (None, KeyError, ValueError, TypeError):
        out.append(many_handlers(kind))
    for kind in (None, KeyError, ValueError):
        only_pass(kind)
    for kind in (None, KeyError, ValueError):
        try:
            untaken_branch_at_the_end_of_finally(kind)
        except (KeyError, ValueError) as error:
            out.append(type(error).__name__)
    return out
