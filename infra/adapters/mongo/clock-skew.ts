/** How far MongoDB's clock, by which leases run, is from this machine's. */
import type { Db } from 'mongodb';

/** Documents of one comparison, or of one timed write: removed at once. */
export const PROBES = 'probes';

interface Probe {
  readonly _id: string;
  readonly at?: Date;
}

/** Milliseconds; below 0 where MongoDB's is behind. @param now epoch milliseconds */
export async function clockSkewMs(db: Db, now: () => number): Promise<number> {
  const probe = { _id: `clock-${process.pid}-${Math.round(performance.now())}` };
  const probes = db.collection<Probe>(PROBES);
  await probes.insertOne(probe);
  const before = now();
  // The time that leases use; the embedded engine reports it in no other way.
  const marked = await probes.findOneAndUpdate(probe, [{ $set: { at: '$$NOW' } }], {
    returnDocument: 'after',
  });
  const here = (before + now()) / 2;
  await probes.deleteOne(probe);
  return Math.round((marked?.at?.getTime() ?? Number.NaN) - here);
}
