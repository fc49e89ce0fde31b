"""A `return` on a line of its own leaves two handlers; another way goes on after both."""


def f(arg, numbers):
    if arg:
        try:
            number = numbers[arg]
        except KeyError:
            return
    else:
        try:
            number = numbers[0]
        except KeyError:
            number = len(numbers)
            try:
                numbers = numbers[1]
            except:
                if number:
                    numbers.clear()
                    return
    pass
