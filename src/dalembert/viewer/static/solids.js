// Bodies in space as solids: geometry from the numbers of the scene, in body axes (see solids.py).  u is the size of symbols in metres.
const solids = {};

solids.vector = (p) => new THREE.Vector3(...p);

// frame of a solid: columns of `axes` and the point `center`
solids.frame = function (object, center, axes) {
  const column = (j) => new THREE.Vector3(axes[0][j], axes[1][j], axes[2][j]);
  object.matrixAutoUpdate = false;
  object.matrix.makeBasis(column(0), column(1), column(2)).setPosition(...center);
  return object;
};

// frame whose z goes from a to b
solids.along = function (object, a, b) {
  const [p, q] = [solids.vector(a), solids.vector(b)], z = q.clone().sub(p);
  if (!(z.length() > 0)) z.set(0, 0, 1);
  z.normalize();
  const helper = Math.abs(z.z) < 0.9 ? new THREE.Vector3(0, 0, 1) : new THREE.Vector3(1, 0, 0);
  const x = helper.cross(z).normalize(), y = z.clone().cross(x);
  object.matrixAutoUpdate = false;
  object.matrix.makeBasis(x, y, z).setPosition(p);
  return object;
};

// geometries with their axis along z, from 0 to the length or centred
solids.cylinder = (radius, length, from, top) =>
  new THREE.CylinderGeometry(top === undefined ? radius : top, radius, length, solids.fine).rotateX(Math.PI / 2).translate(0, 0, from + length / 2);

solids.tube = function (radius, inner, length, from) {
  const a = from, b = from + length, ring = [[inner, a], [radius, a], [radius, b], [inner, b], [inner, a]];
  // corners twice, so that edges stay sharp
  const points = ring.flatMap((p, i) => (i && i < 4 ? [p, p] : [p])).map(([r, z]) => new THREE.Vector2(r, z));
  return new THREE.LatheGeometry(points, solids.fine).rotateX(Math.PI / 2);
};

solids.length = function (a, b) { return Math.hypot(...a.map((x, i) => x - b[i])); };

// meshes of one solid
solids.make = function (s, u, paint, edge, mark) {
  const made = [], mesh = (geometry, material) => { const m = new THREE.Mesh(geometry, material || paint); made.push(m); return m; };
  const outlined = (geometry, angle) => {
    if (edge) made.push(new THREE.LineSegments(new THREE.EdgesGeometry(geometry, angle || 35), edge));
    return geometry;
  };
  const thin = (length) => Math.max(length, 0.35 * u);
  if (s.solid === "bar") {
    const r = (s.thin ? 0.22 : 0.55) * u;
    s.points.slice(1).forEach((q, i) => {
      const p = s.points[i], l = solids.length(p, q);
      solids.along(mesh(new THREE.CapsuleGeometry(r, l, 6, solids.fine / 2).rotateX(Math.PI / 2).translate(0, 0, l / 2)), p, q);
    });
    return made;
  }
  let geometry;
  if (s.solid === "box") {
    geometry = outlined(new THREE.BoxGeometry(...s.size.map((x) => x || 0.1 * u)));
  } else if (s.solid === "cylinder") {
    const l = thin(s.length), r = s.radius;
    geometry = outlined(s.inner > 0 ? solids.tube(r, s.inner, l, -l / 2) : solids.cylinder(r, l, -l / 2));
    if (mark && !(s.inner > 0)) {
      // a stripe shows how a round body turns
      mesh(new THREE.BoxGeometry(1.7 * r, 0.09 * r, l * 1.01 + 0.02 * r), mark);
      mesh(new THREE.BoxGeometry(2.02 * r, 0.09 * r, 0.9 * l), mark);
    } else if (mark) {
      const t = r - s.inner;
      mesh(new THREE.BoxGeometry(0.7 * t, 0.12 * r, l * 1.01 + 0.02 * r).translate((r + s.inner) / 2, 0, 0), mark);
    }
  } else if (s.solid === "cone") {
    geometry = outlined(solids.cylinder(s.radius, s.height, 0, 0));
    if (mark) {
      const slope = Math.atan2(s.radius, s.height), l = Math.hypot(s.radius, s.height);
      const stripe = () => new THREE.BoxGeometry(0.02 * s.radius, 0.08 * s.radius, 0.8 * l).rotateY(-slope);
      for (const side of [1, -1]) mesh(stripe().translate(s.radius / 2, 0, s.height / 2).rotateZ(side > 0 ? 0 : Math.PI), mark);
    }
  } else if (s.solid === "sphere") {
    geometry = new THREE.SphereGeometry(s.radius || 1.1 * u, solids.fine, solids.fine / 2);
    if (mark && s.radius > 0) for (const turn of [0, Math.PI / 2]) mesh(new THREE.TorusGeometry(s.radius, 0.02 * s.radius, 8, 64).rotateX(turn), mark);
  } else if (s.solid === "ring") {
    geometry = new THREE.TorusGeometry(s.radius, s.tube || 0.5 * u, 16, 96);
  } else if (s.solid === "prism") {
    const l = thin(s.length), outline = new THREE.Shape(s.points.map((p) => new THREE.Vector2(...p)));
    s.holes.forEach((hole) => outline.holes.push(new THREE.Path(hole.map((p) => new THREE.Vector2(...p)))));
    geometry = outlined(new THREE.ExtrudeGeometry(outline, { depth: l, bevelEnabled: false }).translate(0, 0, -l / 2));
  } else {
    return made;
  }
  if (s.void) made.splice(0, made.length, ...made.filter((m) => m.isLineSegments));
  else mesh(geometry);
  made.forEach((m) => solids.frame(m, s.center, s.axes));
  return made;
};

// group of a body
solids.body = function (body, i, u, paints) {
  const group = new THREE.Group(), many = D.scene.bodies.length > 200;
  const parts = body.solids || [{ solid: "sphere", center: body.center, axes: [[1, 0, 0], [0, 1, 0], [0, 0, 1]], radius: 0 }];
  for (const s of parts) {
    for (const mesh of solids.make(s, u, paints.get(`body${i % 8}`), many ? null : paints.get("edge"), many ? null : paints.get("stripe"))) {
      mesh.userData.body = i;
      mesh.castShadow = mesh.receiveShadow = mesh.isMesh && !many;
      group.add(mesh);
    }
  }
  group.matrixAutoUpdate = false;
  return group;
};
