"""Within a block: three-address statements put together to expressions and assignments."""
