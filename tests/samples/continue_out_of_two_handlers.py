"""A `continue` leaves both handlers; what the other way out of the inner one leads to stands after the outer."""


def f(target, errors):
    while target:
        try:
            target.run()
        except KeyError as error:
            try:
                errors.add(error)
            except ValueError:
                continue
        target.again()
