"""Generics and type aliases."""
def v(x):
    return x

def generic[T](x: T, y: int = v(1)) -> T:
    type Alias[K] = dict[K, T]
    type Plain = list[
        int
    ]
    z = Alias.__value__
    return x

class Box[T]:
    item: T
    n: int = 1
    def get[U](self, u: U = v(2)) -> U:
        return u

@v
def decorated[T: (int, str), *Ts, **P](x: T) -> T:
    return x

def main():
    class Local[A, B]:
        x = v(1)
        def m(self): return 1
    def f[X: int](a: X = v(3)): return a
    fs = f"{v(f"{v('a')}")} {
        v(2)
        }"
    return generic(1), Box().get(), decorated(2), Local().m(), f(), fs
