/** What became of a row's last message: a drawn sign with its name, and a failure in words too. */
import type { MessageStatus } from '../../../../../shared/vocabulary.ts';
import { TEXT } from '../../sentences.ts';

const CLOCK = 'M8 2.75a5.25 5.25 0 1 0 0 10.5 5.25 5.25 0 0 0 0-10.5M8 5.25V8l1.75 1.25';
const CHECK = 'M3 8.5 6.25 11.75 13 4.75';
const CHECKS = 'M1 8.5 4.25 11.75 10.25 4.75M7.25 10.75 8.25 11.75 15 4.75';
const MARK = 'M8 2.25a5.75 5.75 0 1 0 0 11.5 5.75 5.75 0 0 0 0-11.5M8 5v3.5M8 10.9v.1';
const CROSSED = 'M8 2.25a5.75 5.75 0 1 0 0 11.5 5.75 5.75 0 0 0 0-11.5M4 4l8 8';

const SIGNS: Readonly<Record<Exclude<MessageStatus, 'received'>, string>> = {
  scheduled: CLOCK,
  queued: CLOCK,
  sent: CHECK,
  delivered: CHECKS,
  read: CHECKS,
  failed: MARK,
  cancelled: CROSSED,
};

export function Receipt({ status }: { readonly status: MessageStatus }) {
  if (status === 'received') return null;
  const name = TEXT.thread.states[status];
  return (
    <span class={`receipt ${status}`} title={name}>
      <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
        <path d={SIGNS[status]} />
      </svg>
      <span class={status === 'failed' ? '' : 'spoken'}>{name}</span>
    </span>
  );
}
