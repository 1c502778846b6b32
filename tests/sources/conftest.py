"""Every mechanism and Lagrangian that a source example builds goes through `verify` after its test, once for each kind of model of a file."""

import pytest

import dalembert as da
from dalembert.analyses.lagrangian.start import prepare as prepare_lagrangian
from dalembert.analyses.pose.initial import prepare

_seen = set()
MODELS = (da.Mechanism, da.Lagrangian)


@pytest.fixture(autouse=True)
def verified(request, monkeypatch):
    made = [x for x in vars(request.module).values() if type(x) in MODELS]
    for model in MODELS:
        monkeypatch.setattr(model, "__init__", recorded(model, made))
    yield made
    monkeypatch.undo()
    for m in made:
        kind = (request.node.fspath, m.name, *kind_of(m))
        if kind in _seen or not moves(m):
            continue
        _seen.add(kind)
        found = da.verify(m, states=3)
        assert found.agree, found


def recorded(model, made):
    begin = model.__init__

    def init(self, *args, **options):
        begin(self, *args, **options)
        if type(self) in MODELS:
            made.append(self)

    return init


def kind_of(m):
    """What tells models of one name apart."""
    if isinstance(m, da.Lagrangian):
        return m.q, *m.holonomic, *m.nonholonomic, *m.parts, *m.loads
    return m.plane, *((type(p).__name__, p.name) for p in m.parts())


def moves(m):
    """Whether the model has a start: some tests build what cannot be assembled, or stop half-way."""
    try:
        if isinstance(m, da.Lagrangian):
            return prepare_lagrangian(m, 0.0, None, "start") is not None
        return bool(m.bodies) and prepare(m, 0.0, None) is not None
    except da.DalembertError:
        return False
