// Shaded drawing in space with three.js, rendered beside the page and copied into its canvas, so that printing, saving and hovering are those of
// the wire drawing.  Where there is no three.js in the page or no WebGL in the browser, the wire drawing (space.js) stays.
const shaded = { broken: typeof THREE === "undefined", angle: 24 };
stage.shaded = shaded;
solids.fine = 64;

shaded.ready = function () {
  if (shaded.broken || !D.scene || D.scene.plane) return false;
  if (shaded.renderer) return true;
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("webgl2", { antialias: true, alpha: true, preserveDrawingBuffer: true });
  if (!context) { shaded.broken = true; return false; }
  shaded.renderer = new THREE.WebGLRenderer({ canvas, context, antialias: true, alpha: true });
  shaded.renderer.autoClear = false;
  shaded.renderer.shadowMap.enabled = true;
  shaded.renderer.shadowMap.type = THREE.PCFShadowMap;
  shaded.camera = new THREE.PerspectiveCamera(shaded.angle, 1, 0.1, 100);
  shaded.camera.matrixAutoUpdate = false;
  // the browser may take the graphics card away, when many pages are open; lines need none
  canvas.addEventListener("webglcontextlost", (e) => { e.preventDefault(); shaded.broken = true; stage.draw(); });
  canvas.addEventListener("webglcontextrestored", () => { shaded.broken = false; stage.draw(); });
  document.documentElement.dataset.shaded = "yes";
  return true;
};

// -- colours ----------------------------------------------------------------------------------------------------------

// made once: programs of the graphics card belong to them, and take longer to make than the solids of other data
shaded.mix = function () {
  const made = new Map(), soft = (options) => new THREE.MeshStandardMaterial({ roughness: 0.62, metalness: 0, ...options });
  for (let i = 0; i < 8; i++) {
    made.set(`body${i}`, soft({}));
    made.set(`ghost${i}`, soft({ transparent: true, opacity: 0.14, depthWrite: false }));
    made.set(`other${i}`, soft({ transparent: true, opacity: 0.35, depthWrite: false }));
    made.set(`trace${i}`, new THREE.LineMaterial({ linewidth: 2 }));
    made.set(`faint${i}`, new THREE.LineMaterial({ linewidth: 1.4, transparent: true, opacity: 0.35 }));
  }
  for (const name of ["steel", "joint", "ground", "stripe", "force", "torque", "velocity", "acceleration", "load", "motor", "x", "y", "z"]) made.set(name, soft({}));
  made.set("glass", soft({ transparent: true, opacity: 0.35, side: THREE.DoubleSide }));
  for (const name of ["stick", "slip"]) made.set(name, soft({ transparent: true, opacity: 0.4, side: THREE.DoubleSide, depthWrite: false }));
  made.set("edge", new THREE.LineBasicMaterial({ transparent: true, opacity: 0.35 }));
  made.set("grid", new THREE.LineBasicMaterial({}));
  made.set("wire", new THREE.LineBasicMaterial({}));
  made.set("shadow", new THREE.ShadowMaterial({ depthWrite: false }));
  // bodies lie a little behind their edges
  for (let i = 0; i < 8; i++) Object.assign(made.get(`body${i}`), { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
  return made;
};

shaded.recolor = function (colors) {
  const key = JSON.stringify(colors);
  if (shaded.colors === key) return;
  shaded.colors = key;
  const paints = shaded.kit.paints, dark = new THREE.Color(colors.paper).r < 0.5;
  const set = (name, color, other, share) => {
    const c = new THREE.Color(color);
    if (other) c.lerp(new THREE.Color(other), share);
    paints.get(name).color.copy(c);
  };
  colors.body.forEach((c, i) => {
    set(`body${i}`, c, "#ffffff", dark ? 0.02 : 0.05);
    set(`ghost${i}`, c);
    set(`other${i}`, c);
    set(`trace${i}`, c);
    set(`faint${i}`, c);
  });
  const { force, velocity, acceleration, stick, slip } = colors;
  for (const [name, c] of Object.entries({ force, velocity, acceleration, stick, slip })) set(name, c);
  set("torque", force, acceleration, 0.45);
  set("load", colors.ink, colors.paper, 0.15);
  set("motor", colors.ink, colors.paper, 0.2);
  set("steel", dark ? "#c9ced6" : "#b4bac3");
  set("joint", dark ? "#8b93a0" : "#5a626e");
  set("ground", dark ? "#666d78" : "#a4abb5");
  set("glass", colors.ground);
  set("stripe", dark ? "#0f1115" : "#20242a", "#ffffff", dark ? 0 : 0.15);
  set("edge", dark ? "#000000" : "#10151c");
  set("grid", colors.line);
  set("wire", colors.ground);
  set("x", "#d1383d");
  set("y", "#2e9e4f");
  set("z", "#2f6fd0");
  paints.get("shadow").opacity = dark ? 0.5 : 0.2;
  for (const light of shaded.kit.lights) light.intensity = light.userData[dark ? "dark" : "light"];
};

// -- scene --------------------------------------------------------------------------------------------------------------

// axes of space in the order right, back, up; the third turns over where gravity points along it
shaded.basis = function () {
  const up = D.scene.up === undefined ? 2 : D.scene.up, sign = D.scene.down ? -1 : 1;
  const order = sign > 0 ? [(up + 1) % 3, (up + 2) % 3] : [(up + 2) % 3, (up + 1) % 3];
  const unit = (i, s) => { const e = [0, 0, 0]; e[i] = s; return e; };
  return [unit(order[0], 1), unit(order[1], 1), unit(up, sign)];
};

shaded.sizes = function () {
  const [low, high] = D.scene.box;
  return Math.max(...high.map((x, i) => x - low[i])) || 1;
};

shaded.build = function () {
  if (shaded.kit && shaded.kit.built === D.scene) return;
  if (shaded.kit) shaded.dispose();
  const reach = shaded.sizes(), [right, back, up] = shaded.basis();
  const kit = { built: D.scene, u: D.scene.unit || 0.02 * reach, up, right, back, paints: shaded.paints || (shaded.paints = shaded.mix()), scene: new THREE.Scene(), over: new THREE.Scene(), moving: [], pieces: [], lights: [], arrows: [], cones: [], traces: new Map() };
  kit.shadows = D.scene.bodies.length <= 200;
  solids.fine = kit.shadows ? 64 : 12;
  kit.groups = D.scene.bodies.map((body, i) => solids.body(body, i, kit.u, kit.paints));
  kit.ground = new THREE.Group();
  kit.groupOf = (i) => (i < 0 ? kit.ground : kit.groups[i]);
  kit.scene.add(kit.ground, ...kit.groups);
  D.scene.marks.forEach((m) => fittings.add(kit, m));
  (D.scene.wires || []).forEach((wire) => fittings.wire(kit, wire));
  shaded.kit = kit;
  shaded.colors = null;
  shaded.addFloor(kit, reach);
  shaded.addLights(kit);
  shaded.addFrames(kit);
};

shaded.dispose = function () {
  const { scene, over, lights } = shaded.kit;
  if (shaded.other) shaded.other.group.removeFromParent();
  for (const top of [scene, over]) top.traverse((o) => { if (o.geometry) o.geometry.dispose(); });
  lights.forEach((light) => light.shadow && light.shadow.dispose());
};

shaded.addLights = function (kit) {
  const at = (a, b, c) => new THREE.Vector3(...[0, 1, 2].map((i) => a * kit.right[i] + b * kit.back[i] + c * kit.up[i]));
  const add = (scene, light, bright, dim) => { light.userData = { light: bright, dark: dim }; kit.lights.push(light); scene.add(light); return light; };
  for (const scene of [kit.scene, kit.over]) {
    const sky = add(scene, new THREE.HemisphereLight("#ffffff", "#b9b4ad"), 1.75, 1.25);
    sky.position.copy(at(0, 0, 1));
    // a weak light from the eye, so that no side is dull
    add(scene, new THREE.DirectionalLight("#f2f6ff"), 0.95, 0.85).userData.eye = true;
  }
  add(kit.over, new THREE.DirectionalLight("#ffffff"), 1.3, 1.2).position.copy(at(0.9, -0.35, 1.1));
  // the light that throws shadows; its place follows the drawing
  const key = add(kit.scene, new THREE.DirectionalLight("#fff8ee"), 1.75, 1.6);
  key.userData.from = at(0.75, -0.25, 1.15).normalize();
  key.castShadow = kit.shadows;
  key.shadow.mapSize.set(2048, 2048);
  key.shadow.radius = 3;
  kit.scene.add(key.target);
  kit.key = key;
};

// a grid where the machine stands, and its shadow on it
shaded.addFloor = function (kit, reach) {
  const [low, high] = D.scene.box, s = D.scene, up = s.up === undefined ? 2 : s.up, sign = s.down ? -1 : 1;
  const lowest = sign > 0 ? low[up] : -high[up];
  const feet = s.marks.filter((m) => (m.fittings || []).some((x) => x.solid === "foot")).flatMap((m) => m.places.filter((p) => p[0] < 0).map((p) => sign * p[1][up] - 3.8 * kit.u));
  const floor = sign * (s.floor === undefined || s.floor === null ? Math.min(lowest - 0.6 * kit.u, ...feet) : sign * s.floor);
  const a = kit.right.findIndex((x) => x), b = kit.back.findIndex((x) => x), size = s.single > 1e-6 * reach && 2 * s.single < reach ? 2 * s.single : reach;
  const step = ticks(0, size, 6)[1] || size, range = (i) => {
    const pad = Math.max(0.12 * size, 0.45 * size - 0.5 * (high[i] - low[i]));
    return [Math.floor((low[i] - pad) / step) * step, Math.ceil((high[i] + pad) / step) * step];
  };
  const [ra, rb] = [range(a), range(b)], points = [], at = (x, y) => { const p = [0, 0, 0]; p[a] = x; p[b] = y; p[up] = floor; points.push(...p); };
  const most = 400;
  for (let i = 0, n = Math.min(most, Math.round((ra[1] - ra[0]) / step)); i <= n; i++) { at(ra[0] + i * step, rb[0]); at(ra[0] + i * step, rb[1]); }
  for (let i = 0, n = Math.min(most, Math.round((rb[1] - rb[0]) / step)); i <= n; i++) { at(ra[0], rb[0] + i * step); at(ra[1], rb[0] + i * step); }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
  kit.scene.add(new THREE.LineSegments(geometry, kit.paints.get("grid")));
  kit.step = step;
  const plane = new THREE.Mesh(new THREE.PlaneGeometry(60 * reach, 60 * reach), kit.paints.get("shadow")), p = [0, 1, 2].map((i) => (low[i] + high[i]) / 2);
  p[up] = floor - sign * 0.02 * kit.u;
  solids.along(plane, p, p.map((x, i) => x + kit.up[i]));
  plane.receiveShadow = true;
  plane.renderOrder = -1;
  plane.visible = kit.shadows;
  kit.scene.add(plane);
  kit.floor = floor;
};

// axes of every body and of space, shown on request
shaded.addFrames = function (kit) {
  kit.frames = [];
  const add = (group, origin, l) => {
    const triad = new THREE.Group();
    ["x", "y", "z"].forEach((name, i) => {
      const tip = origin.map((x, j) => x + (i === j ? 1 : 0));
      for (const geometry of [solids.cylinder(0.13 * kit.u, 0.8 * l, 0), solids.cylinder(0.38 * kit.u, 0.2 * l, 0.8 * l, 0)]) triad.add(solids.along(new THREE.Mesh(geometry, kit.paints.get(name)), origin, tip));
    });
    group.add(triad);
    kit.frames.push(triad);
  };
  add(kit.ground, [0, 0, 0], 7 * kit.u);
  // axes lie over the bodies, which would hide them
  kit.axes = D.scene.bodies.map((body) => { const g = new THREE.Group(); g.matrixAutoUpdate = false; add(g, [0, 0, 0], 5 * kit.u); kit.over.add(g); return g; });
  kit.ground.remove(kit.frames[0]);
  kit.over.add(kit.frames[0]);
};

// -- view ---------------------------------------------------------------------------------------------------------------

// directions to the right, up and towards the eye, for an azimuth and elevation
shaded.eye = function (az, el) {
  const [e, f, g] = shaded.basis(), ca = Math.cos(az), sa = Math.sin(az), ce = Math.cos(el), se = Math.sin(el);
  const sum = (a, b, c) => e.map((x, i) => a * x + b * f[i] + c * g[i]);
  return [sum(-sa, ca, 0), sum(-se * ca, -se * sa, ce), sum(ce * ca, ce * sa, se)];
};

const dot3 = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

shaded.view = function (w, h) {
  const [low, high] = stage.box(), c = low.map((x, i) => (x + high[i]) / 2), tan = Math.tan(shaded.angle * Math.PI / 360);
  // far enough for the whole box as seen at first; turning keeps the distance
  const [r0, u0, d0] = shaded.eye(stage.start_az, stage.start_el), side = (w / h) * tan * (1 - 76 / w), tall = tan * (1 - 84 / h);
  let distance = 0;
  for (let i = 0; i < 8; i++) {
    const p = c.map((x, j) => (i >> j & 1 ? high[j] : low[j]) - x);
    distance = Math.max(distance, dot3(p, d0) + Math.abs(dot3(p, r0)) / side, dot3(p, d0) + Math.abs(dot3(p, u0)) / tall);
  }
  // the box of what is followed is generous
  distance = (stage.on.follow ? 0.7 : 1) * distance || 10 * (D.scene.unit || 1);
  const camera = shaded.camera, [right, up, towards] = shaded.eye(stage.az, stage.el), v = (x) => new THREE.Vector3(...x);
  camera.aspect = w / h;
  camera.zoom = stage.zoom;
  camera.near = 0.02 * distance;
  camera.far = distance + 40 * shaded.sizes();
  camera.setViewOffset(w, h, -stage.shift[0], -stage.shift[1], w, h);
  camera.matrix.makeBasis(v(right), v(up), v(towards)).setPosition(...c.map((x, i) => x + distance * towards[i]));
  camera.updateMatrixWorld(true);
  camera.updateProjectionMatrix();
  const s = stage.zoom * h / (2 * tan * distance), point = new THREE.Vector3();
  return {
    s, c, distance,
    project: (p) => { point.set(...p).project(camera); return [(point.x + 1) * w / 2, (1 - point.y) * h / 2]; },
    direction: (x) => [dot3(x, right), -dot3(x, up)],
  };
};

// -- one picture -----------------------------------------------------------------------------------------------------------

shaded.pose = function (group, i, k) {
  const body = D.scene.bodies[i], a = rotation(body, k), o = vector(body.motion.position, k);
  const finite = o.every(Number.isFinite) && a.every((row) => row.every(Number.isFinite));
  group.visible = finite;
  if (finite) solids.frame(group, o, a);
};

shaded.draw = function (args, k) {
  const { ctx, w, h, view, colors } = args, renderer = shaded.renderer, ratio = stage.canvas.width / w;
  shaded.recolor(colors);
  const kit = shaded.kit;
  kit.groups.forEach((group, i) => shaded.pose(group, i, k));
  kit.moving.forEach((move) => move(k));
  shaded.looks();
  kit.axes.forEach((g, i) => shaded.pose(g, i, k));
  kit.frames.forEach((f) => { f.visible = Boolean(stage.on.frames); });
  shaded.light(view);
  shaded.ghosts(k);
  shaded.under();
  shaded.traces(k, ratio);
  const broken = shaded.arrows(args, k);
  shaded.cones(args, k);
  renderer.setPixelRatio(1);
  renderer.setSize(stage.canvas.width, stage.canvas.height, false);
  renderer.clear();
  renderer.render(kit.scene, shaded.camera);
  // arrows and axes are never hidden
  renderer.clearDepth();
  renderer.render(kit.over, shaded.camera);
  ctx.drawImage(renderer.domElement, 0, 0, w, h);
  for (const [p, d, name] of broken) symbols.broken(ctx, p, d, `#${kit.paints.get(name).color.getHexString()}`, colors.paper);
  shaded.corner(args);
};

// bodies that are hidden or seen through, and the symbols that go with them
shaded.looks = function () {
  const { groups, pieces, paints } = shaded.kit;
  groups.forEach((group, i) => {
    group.visible = group.visible && !looks.hidden(i);
    const through = looks.alpha(i) < 1;
    for (const m of group.children.filter((one) => one.userData.body === i)) {
      if (!m.isMesh) continue;
      m.userData.paint = m.userData.paint || m.material;
      m.material = through ? paints.get(`other${i % 8}`) : m.userData.paint;
      m.castShadow = !through && shaded.kit.shadows;
    }
  });
  for (const [piece, mark] of pieces) piece.visible = looks.mark(mark);
};

// shadows are sharpest where the drawing is
shaded.light = function (view) {
  for (const light of shaded.kit.lights) if (light.userData.eye) light.position.set(...shaded.eye(stage.az + 0.5, stage.el + 0.2)[2]);
  const { key } = shaded.kit, [low, high] = stage.box(), r = 0.75 * Math.hypot(...high.map((x, i) => x - low[i])) + 6 * shaded.kit.u;
  key.target.position.set(...view.c);
  key.position.copy(key.target.position).addScaledVector(key.userData.from, 3 * r);
  const camera = key.shadow.camera;
  if (camera.top !== r) {
    Object.assign(camera, { left: -r, right: r, top: r, bottom: -r, near: 0.1 * r, far: 8 * r });
    camera.updateProjectionMatrix();
    key.shadow.normalBias = 0.004 * r;
    key.shadow.bias = -0.0004;
  }
};

// a copy of a body alone, without symbols and edges
shaded.faint = function (group, i, paint) {
  const copy = new THREE.Group();
  group.children.filter((m) => m.isMesh && m.userData.body === i).forEach((m) => {
    const mesh = new THREE.Mesh(m.geometry, shaded.kit.paints.get(`${paint}${i % 8}`));
    mesh.matrixAutoUpdate = false;
    mesh.matrix.copy(m.matrix);
    copy.add(mesh);
  });
  return copy;
};

// what lies under the machine: nothing, but another run in the studio
shaded.under = function () {};

// bodies of the data at hand, which are another run, at output k; made once for its scene, as the kit may change with every move of a slider
shaded.another = function (k) {
  const { kit } = shaded, { scene } = D;
  if (!shaded.other || shaded.other.built !== scene) {
    shaded.withdraw();
    const bodies = scene.bodies.map((body, i) => shaded.faint(solids.body(body, i, scene.unit || kit.u, kit.paints), i, "other"));
    shaded.other = { built: scene, bodies, group: new THREE.Group().add(...bodies) };
  }
  if (shaded.other.group.parent !== kit.scene) kit.scene.add(shaded.other.group);
  shaded.other.bodies.forEach((group, i) => shaded.pose(group, i, k));
};

// without the other run
shaded.withdraw = function () {
  if (!shaded.other) return;
  shaded.other.group.removeFromParent();
  shaded.other.group.traverse((o) => { if (o.geometry) o.geometry.dispose(); });
  shaded.other = null;
};

shaded.ghosts = function (k) {
  const kit = shaded.kit;
  if (!stage.on.ghosts) { if (kit.ghosts) kit.ghosts.visible = false; return; }
  if (!kit.ghosts) {
    kit.ghosts = new THREE.Group();
    stage.ghostOutputs = stage.ghostOutputs || ghostPoses(7);
    for (const g of stage.ghostOutputs) {
      const pose = new THREE.Group();
      pose.userData.output = g;
      kit.groups.forEach((group, i) => {
        const copy = shaded.faint(group, i, "ghost");
        shaded.pose(copy, i, g);
        pose.add(copy);
      });
      kit.ghosts.add(pose);
    }
    kit.scene.add(kit.ghosts);
  }
  kit.ghosts.visible = true;
  kit.ghosts.children.forEach((pose) => { pose.visible = pose.userData.output !== k; });
};

// paths and ghosts of other outputs
shaded.again = function () {
  const kit = shaded.kit;
  if (!kit) return;
  for (const { group, faint, past } of kit.traces.values()) {
    kit.scene.remove(group);
    [faint, past].forEach((line) => { if (line) line.geometry.dispose(); });
  }
  kit.traces.clear();
  if (kit.ghosts) kit.scene.remove(kit.ghosts);
  kit.ghosts = null;
};

shaded.traces = function (k, ratio) {
  const kit = shaded.kit, { from, to } = player, step = Math.max(1, Math.floor((to - from) / 2000));
  kit.traces.forEach((trace, i) => { trace.group.visible = stage.traced.has(i); });
  for (const i of stage.traced) {
    const point = D.scene.points[i];
    if (!point) continue;
    const color = Math.max(0, point.place[0]) % 8;
    if (!kit.traces.has(i)) {
      const positions = [], group = new THREE.Group();
      for (let j = from; j <= to; j += step) { const p = where(point.place, j); if (p.every(Number.isFinite)) positions.push(...p); }
      const line = (paint) => { const made = new THREE.Line2(new THREE.LineGeometry().setPositions(positions), kit.paints.get(paint)); made.frustumCulled = false; group.add(made); return made; };
      const enough = positions.length >= 6, faint = enough && line(`faint${color}`), past = enough && line(`trace${color}`);
      const dot = new THREE.Mesh(new THREE.SphereGeometry(1, 16, 12), kit.paints.get(`body${color}`));
      group.add(dot);
      kit.scene.add(group);
      kit.traces.set(i, { group, faint, past, dot });
    }
    const { past, dot } = kit.traces.get(i);
    if (past) past.geometry.instanceCount = Math.floor((k - from) / step);
    dot.position.set(...where(point.place, k));
    dot.scale.setScalar(0.5 * kit.u);
  }
  for (let i = 0; i < 8; i++) {
    kit.paints.get(`trace${i}`).linewidth = 2.2 * ratio;
    kit.paints.get(`faint${i}`).linewidth = 1.5 * ratio;
  }
};

// arrows of vectors: a shaft and a head, two heads for torques; answers with those that would leave the frame, on the screen
shaded.arrows = function (args, k) {
  const kit = shaded.kit, { view, w, h } = args, broken = [];
  let used = 0;
  const px = 1 / view.s;
  const put = (place, whole, name, twice) => {
    const from = where(place, k), end = (share) => view.project(from.map((x, i) => x + share * whole[i]));
    const share = stage.fitting(end, w, h), v = whole.map((x) => share * x);
    if (share < 1) { const [a, b] = [end(0), end(share)]; broken.push([a, [b[0] - a[0], b[1] - a[1]], name]); }
    const length = Math.hypot(...v);
    if (!(length > 2 * px)) return;
    let arrow = kit.arrows[used];
    if (!arrow) {
      arrow = new THREE.Group();
      arrow.add(...[solids.cylinder(1, 1, 0), solids.cylinder(1, 1, 0, 0), solids.cylinder(1, 1, 0, 0)].map((g) => new THREE.Mesh(g)));
      kit.arrows.push(arrow);
      kit.over.add(arrow);
    }
    used++;
    const p = from, head = Math.min(15 * px, 0.5 * length), wide = 0.36 * head, [shaft, tip, second] = arrow.children;
    solids.along(arrow, p, p.map((x, i) => x + v[i]));
    arrow.visible = true;
    for (const m of arrow.children) { m.material = kit.paints.get(name); m.matrixAutoUpdate = true; }
    shaft.scale.set(Math.min(1.7 * px, 0.5 * wide), Math.min(1.7 * px, 0.5 * wide), length - 0.9 * head);
    tip.scale.set(wide, wide, head);
    tip.position.set(0, 0, length - head);
    second.visible = Boolean(twice);
    second.scale.set(wide, wide, head);
    second.position.set(0, 0, length - 1.75 * head);
  };
  stage.eachArrow((place, v, most, size, name) => {
    const s = 0.26 * Math.min(w, h) * px * Math.pow(10, size) / most;
    put(place, v.map((x) => x * s), name === "couple" ? "load" : name, name === "torque" || name === "couple");
  }, k);
  for (let i = used; i < kit.arrows.length; i++) kit.arrows[i].visible = false;
  return broken;
};

// cones of friction, seen through: the arrow of the force is inside or on its side
shaded.cones = function ({ view, w, h }, k) {
  const { kit } = shaded, pressing = stage.on.forces ? stage.pressing(k).filter((c) => c.half) : [], r = stage.coneSize * Math.min(w, h) / view.s;
  pressing.forEach(({ at, normal, half, way }, i) => {
    if (!kit.cones[i]) {
      // apex at the origin, open at its rim
      kit.cones.push(new THREE.Group().add(new THREE.Mesh(new THREE.CylinderGeometry(1, 0, 1, 48, 1, true).rotateX(Math.PI / 2).translate(0, 0, 0.5))));
      kit.over.add(kit.cones[i]);
    }
    const [mesh] = solids.along(kit.cones[i], at, at.map((x, j) => x + normal[j])).children;
    mesh.material = kit.paints.get(way);
    mesh.scale.set(r * Math.sin(half), r * Math.sin(half), r * Math.cos(half));
  });
  kit.cones.forEach((cone, i) => { cone.visible = i < pressing.length; });
};

shaded.corner = ({ ctx, h, view, colors }) => axesCorner(ctx, h, view, colors, shaded.kit.step);

// number of the body under a point of the drawing
shaded.bodyAt = function (x, y) {
  if (!shaded.kit || shaded.broken) return undefined;
  const ray = new THREE.Raycaster(), w = stage.canvas.clientWidth, h = stage.canvas.clientHeight;
  ray.setFromCamera(new THREE.Vector2(2 * x / w - 1, 1 - 2 * y / h), shaded.camera);
  const hit = ray.intersectObjects(shaded.kit.groups, true).find((found) => found.object.isMesh && found.object.userData.body !== undefined && !looks.hidden(found.object.userData.body));
  return hit && hit.object.userData.body;
};
