/** The line of a row's last message: what became of it, who wrote it, and how it begins. */
import type { LastMessage } from '../../../../../shared/api/panel-conversation.ts';
import { isolated } from '../../base/isolated.tsx';
import { TEXT } from '../../sentences.ts';
import { session } from '../../session.ts';
import type { TeamMember } from '../state/api.ts';
import { Receipt } from './receipt.tsx';

interface LastLineProps {
  readonly last: LastMessage | null | undefined;
  readonly preview: string;
  readonly team: readonly TeamMember[];
}

export function LastLine({ last, preview, team }: LastLineProps) {
  const writer = last ? writerOf(last, team) : null;
  return (
    <>
      {last?.direction === 'out' ? <Receipt status={last.status} /> : null}
      <span class="preview soft cut grow">
        {writer === null ? preview : `${isolated(writer)}: ${isolated(preview)}`}
      </span>
    </>
  );
}

/** Null for the contact, who is the row's own name. */
function writerOf({ author, memberId }: LastMessage, team: readonly TeamMember[]): string | null {
  if (author.kind === 'contact') return null;
  if (author.kind === 'automation') return TEXT.thread.automation;
  if (memberId !== null && memberId === session.value?.member?.id) return TEXT.acts.you;
  const member = team.find(({ id }) => id === memberId);
  // What was typed on the connected phone has the name of its channel.
  return memberId === null ? author.label : firstOf(member?.name ?? author.label);
}

function firstOf(name: string): string {
  return name.trim().split(/\s/u)[0] ?? name;
}
