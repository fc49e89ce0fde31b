"""Records CUDA graphs of what it compiled, as servers and trainers do, and replays them."""

import torch


def waves(x):
    return (x.sin() * x.cos()).sum(-1)


def warmed_up(function, *arguments):
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(2):
            function(*arguments)
    torch.cuda.current_stream().wait_stream(side)
    return function


torch.manual_seed(0)
given = torch.linspace(0, 1, 4096, device="cuda").reshape(64, 64)
compiled = warmed_up(torch.compile(waves), given)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    found = compiled(given)
for step in range(3):
    given.fill_(step)
    graph.replay()
    print(f"waves {step}: {found.sum().item():.4f}")

net = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1)).cuda()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
replayed = torch.cuda.make_graphed_callables(torch.compile(net), (torch.randn(8, 64, device="cuda"),))
for step in range(3):
    optimizer.zero_grad()
    loss = replayed(torch.full((8, 64), step / 4, device="cuda")).square().mean()
    loss.backward()
    optimizer.step()
    print(f"loss {step}: {loss.item():.4f}")
