/** Free space on the disks: of the data folder, and of MongoDB where it reports it. */
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Db } from 'mongodb';
import type { DoctorRow } from '../../../../shared/panel/operation.ts';
import type { Finding } from '../../../../shared/problems/findings.ts';
import { failed, passed, sentenceOf } from './check.ts';

const NAME = 'disk';
const FREE_MIN_BYTES = 1024 ** 3;
const FREE_MIN_SHARE = 0.05;
const MIB = 1024 ** 2;
const MAKE_ROOM = { code: 'makeRoom', params: {} } as const;

interface DiskSpace {
  readonly where: string;
  readonly freeBytes: number;
  readonly totalBytes: number;
}

/** @param db null where MongoDB cannot be asked */
export async function checkDisk(dataDir: string, db: Db | null): Promise<DoctorRow> {
  try {
    const spaces = [await diskSpaceOf(dataDir), ...(db === null ? [] : await diskSpaceOfStore(db))];
    const scarce = spaces.filter(isScarce);
    return scarce.length === 0
      ? passed(NAME, ...spaces.map(freeOn))
      : failed(NAME, scarce.map(freeOn), MAKE_ROOM);
  } catch (cause) {
    const detail = { code: 'diskUnread', params: { text: sentenceOf(cause) } } as const;
    return failed(NAME, [detail], { code: 'seeDataDir', params: {} });
  }
}

/** A small disk with most of it free is no danger yet; a large one is with a gibibyte. */
function isScarce({ freeBytes, totalBytes }: DiskSpace): boolean {
  return (
    freeBytes < totalBytes / 2 && freeBytes < Math.max(FREE_MIN_BYTES, totalBytes * FREE_MIN_SHARE)
  );
}

function freeOn({ where, freeBytes, totalBytes }: DiskSpace): Finding {
  const freeMib = Math.floor(freeBytes / MIB);
  return { code: 'diskFree', params: { where, freeMib, totalMib: Math.floor(totalBytes / MIB) } };
}

/** The folder is made at the first start: until then the nearest that exists has its disk. */
async function diskSpaceOf(dataDir: string): Promise<DiskSpace> {
  for (let folder = dataDir; ; folder = dirname(folder)) {
    try {
      const { bavail, blocks, bsize } = await statfs(folder);
      return { where: dataDir, freeBytes: bavail * bsize, totalBytes: blocks * bsize };
    } catch (cause) {
      const missing = Reflect.get(Object(cause), 'code') === 'ENOENT';
      if (!missing || folder === dirname(folder)) throw cause;
    }
  }
}

/** The embedded engine does not report it; its folder is in the data folder. */
async function diskSpaceOfStore(db: Db): Promise<readonly DiskSpace[]> {
  const { fsUsedSize, fsTotalSize } = await db.command({ dbStats: 1 });
  if (typeof fsUsedSize !== 'number' || typeof fsTotalSize !== 'number') return [];
  if (fsTotalSize === 0) return [];
  return [{ where: 'MongoDB', freeBytes: fsTotalSize - fsUsedSize, totalBytes: fsTotalSize }];
}
