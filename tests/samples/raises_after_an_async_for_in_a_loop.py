# comes back as written
"""What an `async for` comes to when exhausted is laid out after everything (3.12 on), and belongs to the loop around."""


async def f(batch):
    for item in batch:
        async for part in item:
            if part:
                break
        else:
            if item.first:
                if item.second:
                    log(item)
                else:
                    raise KeyError(item)
            else:
                raise ValueError(item)
