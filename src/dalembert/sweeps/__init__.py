"""Sweeps: the same question for many values of the parameters of a model (docs/sweeps.md).

values.py       which cases: products of values, ranges such as "100 mm:300 mm:21", lists of cases
quantities.py   what is kept of a case: "max |A.force|", "final bore.slide", a short summary by default
case.py         one case: build, analyse, keep; failures become data
workers.py      where cases run: here, in processes of our own, by any executor
checkpoint.py   finished cases as JSON lines, read again after a kill
result.py       all cases: table, arrays by parameter, CSV
sweep.py        the verb
"""
