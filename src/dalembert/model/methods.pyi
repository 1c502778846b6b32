"""Methods that a mechanism gets from its joints and force elements; written by `python -m dalembert.model.stubs`."""

from typing import Any

from .forces.actuator import Actuator as Actuator
from .forces.bushing import Bushing as Bushing
from .forces.contact import Contact as Contact
from .forces.damper import Damper as Damper
from .forces.field import Field as Field
from .forces.force import PointForce as PointForce
from .forces.friction import Friction as Friction
from .forces.spring import Spring as Spring
from .forces.stop import Stop as Stop
from .forces.torque import Torque as Torque
from .forces.torsion_spring import TorsionSpring as TorsionSpring
from .joints.absolute_angle import AbsoluteAngle as AbsoluteAngle
from .joints.absolute_x import AbsoluteX as AbsoluteX
from .joints.absolute_y import AbsoluteY as AbsoluteY
from .joints.belt import Belt as Belt
from .joints.cam import Cam as Cam
from .joints.constant_velocity import ConstantVelocity as ConstantVelocity
from .joints.constraint import Constraint as Constraint
from .joints.cylindrical import Cylindrical as Cylindrical
from .joints.differential import Differential as Differential
from .joints.distance import Distance as Distance
from .joints.fixed import Fixed as Fixed
from .joints.gear import Gear as Gear
from .joints.knife_edge import KnifeEdge as KnifeEdge
from .joints.parallel_axes import ParallelAxes as ParallelAxes
from .joints.pfaffian import Pfaffian as Pfaffian
from .joints.pin_in_slot import PinInSlot as PinInSlot
from .joints.planar import Planar as Planar
from .joints.point_on_line import PointOnLine as PointOnLine
from .joints.point_on_plane import PointOnPlane as PointOnPlane
from .joints.prismatic import Prismatic as Prismatic
from .joints.rack import Rack as Rack
from .joints.revolute import Revolute as Revolute
from .joints.revolute_translational import RevoluteTranslational as RevoluteTranslational
from .joints.rolling_disk import RollingDisk as RollingDisk
from .joints.rolling_on_line import RollingOnLine as RollingOnLine
from .joints.rolling_sphere import RollingSphere as RollingSphere
from .joints.rolling_surface import RollingSurface as RollingSurface
from .joints.screw import Screw as Screw
from .joints.spherical import Spherical as Spherical
from .joints.universal import Universal as Universal

class Methods:
    def absolute_angle(self, name: str, body: Any = None, value: Any = 'drawn', at: Any = None) -> AbsoluteAngle:
        """The angle of a planar body keeps its value (default: as drawn)."""
        ...

    def absolute_x(self, name: str, body: Any = None, value: Any = 'drawn', at: Any = None) -> AbsoluteX:
        """The x coordinate of a point of a body keeps its value (default: as drawn)."""
        ...

    def absolute_y(self, name: str, body: Any = None, value: Any = 'drawn', at: Any = None) -> AbsoluteY:
        """The y coordinate of a point of a body keeps its value (default: as drawn)."""
        ...

    def actuator(self, name: str, a: Any = None, b: Any = None, force: Any = None, along: Any = None) -> Actuator:
        """Force that drives a measure (a joint's coordinate, or the distance of two points) *upwards* when positive.

        `force` is a number, an expression of `s`, `v` (= s'), `t`, other measures and parameters, or a Python function (s, v, t), which
        runs on the slow path.  Power is force * v.
        """
        ...

    def belt(self, name: str, a: Any = None, b: Any = None, radii: Any = None, crossed: Any = False) -> Belt:
        """Belt without slip over two pulleys: r_b angle_b = r_a angle_a (a crossed belt reverses the sense).

        `a` and `b` are joints with an angle, or angle measures; `radii=(r_a, r_b)` those of the pulleys.
        """
        ...

    def bushing(self, name: str, i: Any = None, j: Any = None, at: Any = None, stiffness: Any = 0.0, damping: Any = 0.0, torsion: Any = 0.0, torsion_damping: Any = 0.0, axis: Any = None, x_axis: Any = None) -> Bushing:
        """Elastic joint between bodies i and j at a common point: springs and dampers along and about three axes of body i.

        `stiffness` and `damping` are numbers or one number per axis (N/m); `torsion` and `torsion_damping` the same for rotation
        (N m/rad).  The axes are those of space as drawn, or z along `axis` and x along `x_axis`.  A rotation by theta about the unit vector n
        is measured as n sin(theta), the same seen from both bodies; in the plane it is the true angle.  Small rotations are meant.
        """
        ...

    def cam(self, name: str, a: Any = None, b: Any = None, lift: Any = None, profile: Any = None, follower: Any = 'knife', radius: Any = None, base: Any = None, zero: Any = 0.0, closed: Any = False, restitution: Any = 0.0, hypothesis: Any = 'newton', offset: Any = None, arm: Any = None) -> Cam:
        """Follower b (a coordinate: a slide, or an angle) on a cam that turns by the angle a: b = zero + lift(a) where they touch, and b never lies below.

        lift
            Law of the follower: an expression of theta, the angle of the cam, a table, or points (angle, lift) of a turn.
        profile
            Instead: the radius of the cam over its own polar angle, for a follower that moves along a line through the centre; b - zero is the distance from it.
        follower, radius
            "knife", "roller" with its radius, or "flat", across its way.
        zero
            Value of b where the lift is 0 (of a profile: where the follower is in the centre of the cam); "drawn": they touch as drawn.
        base
            Distance of the follower from the centre of the cam where the lift is 0; with it the outline of the cam is known, a law that would undercut it refused, and
            the force acts where the follower touches, along the common normal.
        offset, arm
            Of a follower on a way: distance of its tip from the line through the centre of the cam, to the left of the way.  Of one that swings: distance of its tip from its
            pin (`arm`), or of its pin from a flat face, away from the cam (`offset`).
        closed
            True: held from both sides, as in a groove.  Default: it may lift off, and lands with `restitution` and `hypothesis` as for `m.impact`.
        """
        ...

    def constant_velocity(self, name: str, i: Any = None, j: Any = None, at: Any = None, on: Any = None, axis: Any = None, zero: Any = 0.0) -> ConstantVelocity:
        """Homokinetic joint: the points coincide and both shafts turn at the same speed about their own axes, at any bend.

        The relative rotation is a bend about an axis across the shafts: its quaternion has no component along z.  That row is regular at
        any bend, one of 180 degrees included; R_xy = R_yx, which is r_0 r_z = 0, also holds for every half turn (r_0 = 0), twist or not.

        One `axis` is that of two shafts drawn in line; shafts drawn bent have one each, `axis=(axis_of_i, axis_of_j)`.
        """
        ...

    def constraint(self, name: str, expression: Any = None, value: Any = 0.0) -> Constraint:
        """`expression` of measures, parameters and t, as text, expression or measure, is held at `value` (default 0).

        Example: `m.constraint("cam", "follower.y - 0.1 - 0.02*cos(O.angle)")`.
        """
        ...

    def contact(self, name: str, i: Any = None, j: Any = None, normal: Any = None, through: Any = None, points: Any = None, radius: Any = None, axis: Any = None, radii: Any = None, inside: Any = False, restitution: Any = None, hypothesis: Any = 'newton', rough: Any = False, mu: Any = None, static: Any = None, stiffness: Any = None, exponent: Any = 1.5, damping: Any = None, young: Any = None, poisson: Any = 0.3, speed: Any = None) -> Contact:
        """Body j touches a plane of i, or a ball touches a ball: rigid, or compliant with a stiffness.

        i, j
            The bodies.  Lists of them are several contacts, and are returned as a list: `m.contact("pile", disks)` of every two disks,
            `m.contact("floor", m.ground, disks)` of each with the ground; their names are "pile_a_b" and "floor_a".
        normal, through
            Normal of the plane towards j (default: up), and a point of it (default: the origin of i; of two balls the centre of that on i).
        points, radius, axis
            What touches: points of j, balls of a `radius` about them (one: a sphere; two: a capsule), with `axis` rims about them.  Default: what the shape of j has.
        radii, inside
            Radii of two balls, on i and on j; whether j is in that of i.  Default for two spheres, or disks in the plane, without a normal: theirs.
        restitution, hypothesis, rough
            Of a rigid contact, as for `m.impact`; rough corners do not slip.
        mu, static
            Friction: it slips with mu times what presses (a number, or an expression of the speed `v`), and sticks up to static (default: mu at rest).
        stiffness, exponent, damping
            Of a compliant one: f = stiffness x^exponent (1 + damping x') at the depth x, never negative.
        young, poisson, speed
            Instead: Hertz' stiffness of balls, of one material or of two; the damping that gives the `restitution` at a speed of arrival.
        """
        ...

    def cylindrical(self, name: str, i: Any = None, j: Any = None, at: Any = None, on: Any = None, axis: Any = None, zero: Any = 0.0) -> Cylindrical:
        """Shaft in a sleeve: common axis z.  Leaves the angle about it and the slide along it."""
        ...

    def damper(self, name: str, a: Any = None, b: Any = None, damping: Any = None, along: Any = None) -> Damper:
        """Viscous damper, f = damping * rate, between two points or on a measure; dissipation function 1/2 damping rate^2."""
        ...

    def differential(self, name: str, left: Any = None, right: Any = None, carrier: Any = None) -> Differential:
        """Differential: the carrier turns by the mean of its two outputs, angle_left + angle_right = 2 angle_carrier.

        Each argument is a joint with an angle, or an angle measure (LAGRANGE 2.2.1).
        """
        ...

    def distance(self, name: str, a: Any = None, b: Any = None, length: Any = 'drawn') -> Distance:
        """Massless link of constant `length` (default: as drawn) between two points, each given as (body, point) or body.point(...).

        The true length `|d|` is held, not its square, so that the multiplier is the force: -lam is the tension turned to a push.
        """
        ...

    def field(self, name: str, value: Any = None, on: Any = None, moment: Any = None, per: Any = 'mass', frame: Any = 'space', place: Any = 'space', points: Any = None) -> Field:
        """Force per unit mass on all bodies, or on those named: an expression of place and time.

        The components of `value` are expressions of the place `x`, `y`, `z` and of its velocity `vx`, `vy`, `vz`, of `t`, measures and parameters:
        `m.field("tide", ("-w**2*x", "2*w**2*y"))`.  They are integrated over the matter of each body: exactly where they are polynomials of the place
        (a linear field takes as few points as have the mass, centre and inertia of the body), and with Gauss points over its shape otherwise.
        A body given by mass and inertia alone counts as few points with these.

        Parameters
        ----------
        value
            Components of the force per unit mass [N/kg]; or of the load that `per` says.
        on
            Body or bodies, by object or name; default: all bodies, also those that are added later.
        moment
            Couple per unit mass [N m/kg] besides the force or instead of it: a number in the plane, three components in space.
        per
            "mass", or what else the load is spread over: "length" of rods [N/m], "area" of flat shapes [N/m²], "volume" [N/m³].
        frame
            "space", or "body" for components along the axes of the body.
        place
            "space", or "body" where x, y, z are coordinates on the body: the load of a beam as a function of where it acts.
        points
            Gauss points per direction; default: as many as a polynomial needs, 3 otherwise.

        Examples
        --------
        >>> import dalembert as da
        >>> m = da.Mechanism("swing", plane=True)
        >>> bar = m.body("bar", da.rod(length=1.0, mass=2.0), at=(0.5, 0))
        >>> pin = m.revolute("A", m.ground, bar, at=(0, 0))
        >>> g = m.field("gravity", (0, "-9.81*(1 + 0.1*sin(3*t))"))
        >>> wind = m.field("wind", ("40*(x + 0.5)", 0), on=bar, per="length", place="body")
        """
        ...

    def fixed(self, name: str, i: Any = None, j: Any = None, at: Any = None, on: Any = None) -> Fixed:
        """Weld: the bodies keep the relative pose in which they are drawn."""
        ...

    def force(self, name: str, body: Any = None, value: Any = None, at: Any = None, frame: Any = 'space') -> PointForce:
        """Force on a body at a point (default: its mass centre), with components fixed in space or in the body.

        Components are numbers, expressions of t, measures and parameters, or Python functions of t.
        """
        ...

    def friction(self, name: str, on: Any = None, force: Any = None, speed: Any = None, static_force: Any = None, mu: Any = None, static: Any = None, radius: Any = None, length: Any = None, along: Any = None, pressure_angle: Any = None) -> Friction:
        """Dry friction on a joint's coordinate or on a measure.

        `m.friction("brake", "A", mu=0.3, radius=0.02)` is proportional to the reaction of joint A: a torque `mu·radius·|F|` in a pin, a force mu·N in a guide;
        with `length` a guide presses with both its ends, `N = |F/2 + T/length| + |F/2 - T/length|`.  `m.friction("brake", measure, force=2.0)` has a constant size.
        Of a rigid contact or stop it is mu times what presses there; a stop needs `along`, what slides while it is closed.
        `along` is a measure that slips in the place of the joint's coordinate: the pad of a brake presses with the reaction of its joint and rubs on the drum.

        Of a gear (with radii) or a rack, `radius` is the mean distance of the contact from the pitch point, a quarter of the base pitch or somewhat more: the teeth press
        with N = F_t/cos(`pressure_angle`), 20 degrees by default, and rub as the wheels roll on each other.

        What slips may have two or three components: the point of a planar joint, the turning of a ball in its socket (`radius`), the sliding and turning of a shaft
        in its sleeve, several measures in a list.  Friction then acts against the direction of their rates, `u/|u|`.

        It sticks until `static` (a coefficient, or `static_force`) is exceeded, and slips with `mu` (or `force`), which may be an expression of `v`, the size of
        the rate.  With `speed` it is regularised: f = force v / sqrt(v^2 + speed^2), constant sizes only; it then creeps instead of sticking.
        """
        ...

    def gear(self, name: str, a: Any = None, b: Any = None, ratio: Any = None, teeth: Any = None, radii: Any = None, internal: Any = False) -> Gear:
        """Gear pair: angle_b = ratio * angle_a, counted from the drawn pose.

        `a` and `b` are joints with an angle, or angle measures.  Give `ratio` (negative for external gears), or `teeth=(n_a, n_b)` or
        `radii=(r_a, r_b)`: external gears, ratio -n_a/n_b, unless `internal=True`.
        """
        ...

    def knife_edge(self, name: str, i: Any = None, j: Any = None, at: Any = None, on: Any = None, along: Any = None, normal: Any = None) -> KnifeEdge:
        """A point of j moves over i along the blade of j only, never across it: skate, ideal wheel of a vehicle seen from above.

        The blade points `along`, fixed on j, at the point `at`.  In space it stands on the surface of i with the `normal`; the direction
        across, normal x along, is fixed on j.  The point itself is not held on the surface: `m.point_on_plane` or `m.planar` does that.
        """
        ...

    def parallel_axes(self, name: str, i: Any = None, j: Any = None, at: Any = None, on: Any = None, axis: Any = None, zero: Any = 0.0) -> ParallelAxes:
        """An axis of i and an axis of j stay parallel.  Leaves all displacements and the rotation about the axis."""
        ...

    def pfaffian(self, name: str, expression: Any = None, unit: Any = '1') -> Pfaffian:
        """`expression` of measures, their rates, parameters and t, linear in the rates, is held at zero: a nonholonomic constraint.

        Example: `m.pfaffian("skate", "cos(b.angle)*rate(b.y) - sin(b.angle)*rate(b.x)")`.  `unit` is that of the expression times s.
        """
        ...

    def pin_in_slot(self, name: str, i: Any = None, j: Any = None, at: Any = None, on: Any = None, along: Any = None) -> PinInSlot:
        """A pin on body j slides in a straight slot of body i through the point `at`.  Leaves the slide and the rotation."""
        ...

    def planar(self, name: str, i: Any = None, j: Any = None, at: Any = None, on: Any = None, axis: Any = None, zero: Any = 0.0) -> Planar:
        """Plate on a plane with normal `axis`: leaves two displacements and the rotation about the normal."""
        ...

    def point_on_line(self, name: str, i: Any = None, j: Any = None, at: Any = None, on: Any = None, along: Any = None) -> PointOnLine:
        """The point of j stays on a line of i.  Leaves the slide and all rotations."""
        ...

    def point_on_plane(self, name: str, i: Any = None, j: Any = None, at: Any = None, on: Any = None, normal: Any = None) -> PointOnPlane:
        """The point of j stays in the plane of i that contains the point of i and has the given `normal`."""
        ...

    def prismatic(self, name: str, i: Any = None, j: Any = None, at: Any = None, on: Any = None, along: Any = None) -> Prismatic:
        """Slider: the bodies keep their relative orientation and the point of j stays on the line of i.  Leaves the slide."""
        ...

    def rack(self, name: str, pinion: Any = None, rack: Any = None, radius: Any = None) -> Rack:
        """Rack and pinion: slide = radius * angle, counted from the drawn pose.

        `pinion` is a joint with an angle, `rack` a joint with a slide (or measures).  The rack moves in its positive direction when
        the pinion turns in its positive sense; a negative radius reverses it (rack on the other side).
        """
        ...

    def revolute(self, name: str, i: Any = None, j: Any = None, at: Any = None, on: Any = None, axis: Any = None, zero: Any = 0.0) -> Revolute:
        """Hinge: the two origins coincide and, in space, the two z axes stay parallel.  Leaves the angle about z."""
        ...

    def revolute_translational(self, name: str, i: Any = None, j: Any = None, at: Any = None, on: Any = None, along: Any = None, offset: Any = 'drawn') -> RevoluteTranslational:
        """Massless coupler with a pin on j and a slider on a line of i, at a constant `offset` from the line.

        Held: n_i . d = offset, with d from the point of i to the pin and n_i the normal of the line, 90 degrees to the left of `along`.
        """
        ...

    def rolling_disk(self, name: str, i: Any = None, j: Any = None, at: Any = None, on: Any = None, normal: Any = None, through: Any = None, radius: Any = None, axis: Any = None, tube: Any = 0.0) -> RollingDisk:
        """Disk j of a `radius` rolls without slipping on the plane of i: coin, wheel with a thin or a rounded rim.

        at
            Centre of the disk, as drawn or as a point of j; default: the origin of j.
        axis
            Axis of the disk.
        normal
            Normal of the plane, on the side of the disk; default: z.
        through
            Point of the plane; default: the plane touches the disk as drawn.
        tube
            Radius of the rounded rim (a torus); default 0, a sharp edge.
        """
        ...

    def rolling_on_line(self, name: str, i: Any = None, j: Any = None, at: Any = None, on: Any = None, normal: Any = None, through: Any = None, radius: Any = None) -> RollingOnLine:
        """Wheel j of a `radius` rolls without slipping on a line of i, in the plane of the wheel: a condition on positions.

        at
            Centre of the wheel, as drawn or as a point of j; default: the origin of j.
        normal
            Normal of the line, on the side of the wheel; default: y.
        through
            Point of the line; default: the line touches the wheel as drawn.
        """
        ...

    def rolling_sphere(self, name: str, i: Any = None, j: Any = None, at: Any = None, on: Any = None, normal: Any = None, through: Any = None, radius: Any = None) -> RollingSphere:
        """Sphere j of a `radius` rolls without slipping on the plane of i.

        `at` is its centre (default: the origin of j; the mass centre may lie elsewhere), `normal` that of the plane, on the side of the
        sphere (default: z), `through` a point of the plane (default: the plane touches the sphere as drawn).
        """
        ...

    def rolling_surface(self, name: str, i: Any = None, j: Any = None, at: Any = None, on: Any = None, normal: Any = None, through: Any = None, meridian: Any = None, span: Any = None, height: Any = None, axis: Any = None) -> RollingSurface:
        """Convex body of revolution j rolls without slipping on the plane of i: egg, ellipsoid, tyre with a profile.

        meridian
            Radius over the distance z along the `axis` from `at`: an expression of z such as `"0.3*sqrt(1 - (z/0.2)**2)"`, or a
            list of points (z, r).
        span
            (z0, z1): the ends of the meridian, for an expression; the rims there are sharp edges.
        height
            Instead of a meridian: the height of `at` over the plane as an expression of d, the cosine of axis and normal, and of
            parameters; `"sqrt(a**2*(1 - d**2) + b**2*d**2)"` is an ellipsoid.
        at, axis, normal, through
            As for `rolling_disk`.
        """
        ...

    def screw(self, name: str, i: Any = None, j: Any = None, at: Any = None, on: Any = None, axis: Any = None, zero: Any = 0.0, pitch: Any = None) -> Screw:
        """Nut on a thread: a cylindrical joint whose slide is `pitch` metres per turn of the angle (right-handed for pitch > 0)."""
        ...

    def spherical(self, name: str, i: Any = None, j: Any = None, at: Any = None, on: Any = None) -> Spherical:
        """Ball and socket: the two points coincide.  Leaves all rotations."""
        ...

    def spring(self, name: str, a: Any = None, b: Any = None, stiffness: Any = 0.0, damping: Any = 0.0, free_length: Any = 0.0, force: Any = 0.0, along: Any = None) -> Spring:
        """Spring–damper–actuator between two points: tension stiffness (l - free_length) + damping l' + force.

        `force` is a number, an expression of `l`, `v` (= l'), `t`, other measures and parameters, or a Python function (l, v, t).
        With `along=` the length has a sign.  Without, at l = 0 the direction is that of the relative velocity, and at rest the force is zero: exact for free_length = 0,
        where it is stiffness * d.
        """
        ...

    def stop(self, name: str, on: Any = None, lower: Any = None, upper: Any = None, stiffness: Any = None, damping: Any = 0.0) -> Stop:
        """Limits of a measure: a one-sided spring–damper beyond `lower` and/or `upper`, which pushes back and never pulls.

        The tractor tyre of PLANAR 6.1.1 is `m.stop("tyre", hub.y, lower=radius, stiffness=k)`.
        """
        ...

    def torque(self, name: str, body: Any = None, value: Any = None, frame: Any = 'space', against: Any = None) -> Torque:
        """Couple on a body: a number (counterclockwise) in the plane, a vector fixed in space or in the body in space.

        `against` names the body that takes the opposite couple (default: the ground).  Components as in `force`.
        """
        ...

    def torsion_spring(self, name: str, on: Any = None, stiffness: Any = 0.0, damping: Any = 0.0, free_angle: Any = 0.0, torque: Any = 0.0) -> TorsionSpring:
        """Rotational spring–damper–actuator: n = stiffness (theta - free_angle) + damping theta' + torque, virtual work -n dtheta.

        `torque` is a number, an expression of `theta`, `omega` (= theta'), `t`, other measures, or a Python function (theta, omega, t).
        """
        ...

    def universal(self, name: str, i: Any = None, j: Any = None, at: Any = None, on: Any = None, axes: Any = None) -> Universal:
        """Cross: the points coincide and the axis of the cross on i stays perpendicular to the axis on j.

        `axes=(axis_on_i, axis_on_j)`, the two arms of the cross as drawn.  `angle_i` is the turn of the cross about its arm on i,
        `angle_j` that of j about its own arm; both are zero as drawn.
        """
        ...
