"""Every mechanism and Lagrangian that a source example builds goes through `verify` after its test."""

import pytest

import dalembert as da
from dalembert.analyses.dynamics.start import prepare

MODELS = (da.Mechanism, da.Lagrangian)


@pytest.fixture(autouse=True)
def verified(request, monkeypatch):
    made = [x for x in vars(request.module).values() if type(x) in MODELS]
    for model in MODELS:
        monkeypatch.setattr(model, "__init__", recorded(model, made))
    yield made
    monkeypatch.undo()
    for m in made:
        if moves(m):
            found = da.verify(m, states=3)
            assert found.agree, found


def recorded(model, made):
    begin = model.__init__

    def init(self, *args, **options):
        begin(self, *args, **options)
        if type(self) in MODELS:
            made.append(self)

    return init


def moves(m):
    """Whether the model has a start: some tests build what cannot be assembled, or stop half-way."""
    try:
        return (isinstance(m, da.Lagrangian) or bool(m.bodies)) and prepare(m, 0.0, None) is not None
    except da.DalembertError:
        return False
