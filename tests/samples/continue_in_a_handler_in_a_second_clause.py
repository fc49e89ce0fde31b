"""After the inner `try` stands nothing: only its handler comes to the `continue`, its body goes on after both."""


def f(items):
    for item in items:
        try:
            item.run()
        except ValueError:
            report(1)
        except OSError as error:
            try:
                report(error)
            except RuntimeError:
                continue
        finish()
