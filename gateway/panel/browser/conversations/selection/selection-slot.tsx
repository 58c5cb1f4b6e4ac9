/** Room for the tools of a selection. Their script comes with the first choice. */
import { useEffect } from 'preact/hooks';
import { Missing } from '../../base/parts.tsx';
import { useLater } from '../../base/use-later.ts';
import type { TeamMember } from '../state/api.ts';
import { selection } from './selection.ts';

export function SelectionSlot({ team }: { readonly team: readonly TeamMember[] }) {
  const bar = useLater(async () => (await import('./selection-bar.tsx')).SelectionBar);
  const isWanted = selection.value.size > 0;
  useEffect(() => {
    if (isWanted && bar.Part === null) bar.open();
  }, [isWanted]);
  return (
    <>
      <Missing failed={bar.failed} />
      {bar.Part ? <bar.Part team={team} /> : null}
    </>
  );
}
