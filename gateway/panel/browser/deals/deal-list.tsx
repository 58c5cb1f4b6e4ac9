/** Deals of a pipeline as a list: the closed ones are nowhere else. */
import { useRef, useState } from 'preact/hooks';
import type { Refused } from '../base/call.ts';
import { Isolated, isolated } from '../base/isolated.tsx';
import { Alert, Empty, Link } from '../base/parts.tsx';
import { useFocusSuccessor } from '../base/use-focus-successor.ts';
import { useReadBy } from '../base/use-read.ts';
import { type Page, readPages, type TeamMember } from '../conversations/state/api.ts';
import { moneyOf, phoneOf, shortDayOf } from '../format.ts';
import { TEXT } from '../sentences.ts';
import { mayWrite } from '../session.ts';
import { changeDeal, conversationPathOf, type Deal, listPath, type Situation } from './api.ts';

const { deals } = TEXT;

interface DealListProps {
  readonly pipelineId: string;
  readonly situation: Situation;
  readonly team: readonly TeamMember[];
}

export function DealList({ pipelineId, situation, team }: DealListProps) {
  const [pages, setPages] = useState(1);
  const pathOf = (page: number) => listPath(pipelineId, situation, page);
  const interest = { kinds: ['deal', 'contact'] } as const;
  const read = useReadBy<Page<Deal>>(`${pathOf(1)} ${pages}`, interest, () =>
    readPages<Deal>(pathOf, pages),
  );
  const rows = read.body?.data ?? [];
  return (
    <>
      <Alert refused={read.refused} onAgain={read.again} />
      {read.body && rows.length === 0 ? <Empty title={deals.nothingFound} /> : null}
      <ul class="lines" aria-label={deals.title}>
        {rows.map((deal) => (
          <Line key={deal.id} deal={deal} team={team} />
        ))}
      </ul>
      {read.body && rows.length < read.body.total ? (
        <button type="button" class="button" onClick={() => setPages(pages + 1)}>
          {TEXT.more}
        </button>
      ) : null}
    </>
  );
}

interface LineProps extends Pick<DealListProps, 'team'> {
  readonly deal: Deal;
}

function Line({ deal, team }: LineProps) {
  const { id, title, valueCents, contact, status, lostReason, closedAt, ownerId } = deal;
  const [refused, setRefused] = useState<Refused | null>(null);
  const item = useRef<HTMLLIElement>(null);
  useFocusSuccessor(item, 'main');
  const reopen = async () => {
    const outcome = await changeDeal(id, { status: 'open' });
    setRefused(outcome.ok ? null : outcome.refused);
  };
  const owner = team.find((member) => member.id === ownerId)?.name;
  const facts = [contact.name ?? phoneOf(contact.phone), moneyOf(valueCents), owner, lostReason];
  return (
    <li ref={item}>
      <div class="grow">
        <p class="strong">
          <Link to={conversationPathOf(deal)}>
            <Isolated text={title} />
          </Link>
        </p>
        <p class="small soft">
          {facts.flatMap((fact) => (fact ? [isolated(fact)] : [])).join(' · ')}
        </p>
      </div>
      <span class={`tag ${status === 'won' ? 'state-good' : ''}`}>{deals.statuses[status]}</span>
      {closedAt === null ? null : (
        <time class="soft" dateTime={closedAt}>
          {shortDayOf(closedAt)}
        </time>
      )}
      {mayWrite() && status !== 'open' ? (
        <button
          type="button"
          class="button"
          aria-label={`${deals.reopen}: ${isolated(title)}`}
          onClick={() => void reopen()}
        >
          {deals.reopen}
        </button>
      ) : null}
      <Alert refused={refused} />
    </li>
  );
}
