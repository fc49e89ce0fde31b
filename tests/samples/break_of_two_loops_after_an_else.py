"""The break of the innermost leads on to that of the loop around, whose only other way is a continue."""


def f(results, path):
    for result in results:
        for part in result:
            for step in path:
                if step:
                    use(step)
                    break
            else:
                continue
            break
