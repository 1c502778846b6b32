// What the drawing in space (shaded.js, solids.js, fittings.js of the page) uses of three.js; nothing else gets into the bundle.
export {
  BoxGeometry, BufferGeometry, CapsuleGeometry, CatmullRomCurve3, Color, CylinderGeometry, DirectionalLight, DoubleSide, EdgesGeometry,
  ExtrudeGeometry, Float32BufferAttribute, Group, HemisphereLight, LatheGeometry, LineBasicMaterial, LineSegments, Matrix4, Mesh,
  MeshStandardMaterial, PCFShadowMap, Path, PerspectiveCamera, PlaneGeometry, Raycaster, Scene, ShadowMaterial, Shape, SphereGeometry,
  TorusGeometry, TubeGeometry, Vector2, Vector3, WebGLRenderer,
} from "three";
export { Line2 } from "three/addons/lines/Line2.js";
export { LineGeometry } from "three/addons/lines/LineGeometry.js";
export { LineMaterial } from "three/addons/lines/LineMaterial.js";
