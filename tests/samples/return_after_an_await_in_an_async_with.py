# comes back as written since 3.11
async def f(self):
    async with self.c as d:
        if self.a:
            await self.b()
        elif self.g:
            n = len(self.g)
            if not self.g:
                await self.b()
                return
            while n > 0:
                await self.h()
