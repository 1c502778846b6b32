"""Every mechanism that a source example builds goes through `verify` after its test, once for each kind of model of a file."""

import pytest

import dalembert as da
from dalembert.analyses.pose.initial import prepare

_seen = set()


@pytest.fixture(autouse=True)
def verified(request, monkeypatch):
    made = [x for x in vars(request.module).values() if type(x) is da.Mechanism]
    begin = da.Mechanism.__init__

    def recorded(self, *args, **options):
        begin(self, *args, **options)
        if type(self) is da.Mechanism:
            made.append(self)

    monkeypatch.setattr(da.Mechanism, "__init__", recorded)
    yield made
    monkeypatch.undo()
    for m in made:
        kind = (request.node.fspath, m.name, m.plane, tuple((type(p).__name__, p.name) for p in m.parts()))
        if kind in _seen or not moves(m):
            continue
        _seen.add(kind)
        found = da.verify(m, states=3)
        assert found.agree, found


def moves(m):
    """Whether the mechanism has a start: some tests build what cannot be assembled, or stop half-way."""
    try:
        return bool(m.bodies) and prepare(m, 0.0, None) is not None
    except da.DalembertError:
        return False
