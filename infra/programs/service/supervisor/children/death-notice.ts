/**
 * Notice from a supervisor to its actors processes: one of them has died, and is marked as dead.
 * They announce it to all members, which otherwise see it when they renew, up to a second later.
 */
import type { ChildProcess } from 'node:child_process';

interface DeathNotice {
  readonly members: 'changed';
}

/** The supervisor's side; a process that is about to end misses nothing. */
export function noticeDeath(child: ChildProcess): void {
  const notice: DeathNotice = { members: 'changed' };
  if (child.connected) child.send(notice, () => undefined);
}

/** The role's side. */
export function onDeathNotice(announce: () => void): void {
  process.on('message', (message: unknown) => {
    if (Reflect.get(Object(message), 'members') === 'changed') announce();
  });
  process.channel?.unref();
}
