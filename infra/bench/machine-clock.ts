/** Milliseconds that all processes of the machine count alike, for latencies across processes. */
export function machineMs(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}
