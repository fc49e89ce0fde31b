"""The last of more keywords than are passed one by one is a choice: up to 3.10 what follows has no line."""


def f(g, a):
    g(
        b=1, c=2, d=3, e=4, f=5, h=6, i=7, j=8, k=9, l=10, m=11, n=12, o=13, p=14, q=15, r=16,
        s=a
        if a
        else None,
    )
