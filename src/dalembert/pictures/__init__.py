"""Pictures for papers and lectures: mechanisms as in textbooks, in the plane and in space, still and moving.  Needs matplotlib.

`draw` and `film` say what is drawn; `subject` reads what was given; `pen` knows points on paper; `plane` and `space` draw the scene of
`viewer.scene`, the one that pages show; `glyphs` draws the
symbols of `model.glyphs`, `labels` puts names where no line is.
`panel` is the mechanism of `run.plot()`, `free_body` the picture of a free-body sheet.
"""
