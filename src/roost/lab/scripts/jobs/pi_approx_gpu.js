// WEB figure 4.3 with WebGPU, the successor of WebCL. Points are dealt out to many invocations, each with random numbers
// of its own (PCG); a dispatch is kept short, since browsers end those that take long.
const INVOCATIONS = 65536;
const POINTS_PER_DISPATCH = 2 ** 24;
const KERNEL = `
@group(0) @binding(0) var<storage, read_write> inside: atomic<u32>;
@group(0) @binding(1) var<uniform> part: vec2<u32>;

fn next(state: ptr<function, u32>) -> f32 {
  *state = *state * 747796405u + 2891336453u;
  let mixed = ((*state >> ((*state >> 28u) + 4u)) ^ *state) * 277803737u;
  return f32(((mixed >> 22u) ^ mixed) >> 8u) * ${2 ** -24};
}

@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let turns = (part.x + ${INVOCATIONS - 1}u - id.x) / ${INVOCATIONS}u;
  var state = (id.x ^ (part.y * 2654435769u)) * 2246822519u;
  var count = 0u;
  for (var turn = 0u; turn < turns; turn++) {
    let x = next(&state);
    let y = next(&state);
    if (x * x + y * y <= 1.0) { count++; }
  }
  atomicAdd(&inside, count);
}`;

async function open_device() {
  if (!globalThis.navigator?.gpu) throw new Error("no WebGPU");
  const adapter = await navigator.gpu.requestAdapter();
  if (!adapter) throw new Error("no adapter");
  const { vendor, architecture, description } = adapter.info;
  return [await adapter.requestDevice(), [vendor, architecture, description].filter(Boolean).join(" ")];
}

async function weevil_main(points) {
  const [device, adapter] = await open_device();
  const module = device.createShaderModule({ code: KERNEL });
  const pipeline = device.createComputePipeline({ layout: "auto", compute: { module, entryPoint: "main" } });
  const { STORAGE, UNIFORM, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
  const inside = device.createBuffer({ size: 4, usage: STORAGE | COPY_SRC });
  const part = device.createBuffer({ size: 8, usage: UNIFORM | COPY_DST });
  const read = device.createBuffer({ size: 4, usage: MAP_READ | COPY_DST });
  const entries = [inside, part].map((buffer, binding) => ({ binding, resource: { buffer } }));
  const group = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
  for (let done = 0, count = 0; done < points; done += POINTS_PER_DISPATCH) {
    const size = Math.min(POINTS_PER_DISPATCH, points - done);
    device.queue.writeBuffer(part, 0, new Uint32Array([size, ++count]));
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(INVOCATIONS / 64);
    pass.end();
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
  }
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(inside, 0, read, 0, 4);
  device.queue.submit([encoder.finish()]);
  await read.mapAsync(GPUMapMode.READ);
  return { operations: 4 * points, value: new Uint32Array(read.getMappedRange())[0], adapter };
}
