/** One stage of the board. Cards move by the menu of the keyboard, and by dragging. */
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isolated } from '../base/isolated.tsx';
import { Menu } from '../base/menu.tsx';
import { Alert, Link } from '../base/parts.tsx';
import { useFocusSuccessor } from '../base/use-focus-successor.ts';
import { useRead } from '../base/use-read.ts';
import type { TeamMember } from '../conversations/state/api.ts';
import { calendarDayOf, moneyOf, phoneOf } from '../format.ts';
import { TEXT } from '../sentences.ts';
import { mayWrite } from '../session.ts';
import {
  COLUMN_LIMIT,
  type Column,
  columnPath,
  conversationPathOf,
  type Deal,
  type Stage,
  type StageSum,
} from './api.ts';

const { deals } = TEXT;
const DRAGGED = 'application/x-recado-deal';

interface BoardColumnProps {
  readonly pipelineId: string;
  readonly stage: Stage;
  readonly stages: readonly Stage[];
  readonly sum: StageSum | undefined;
  readonly changes: ReadonlyMap<string, Deal>;
  readonly team: readonly TeamMember[];
  /** The deal whose card has left its column with the focus. */
  readonly focused: { id: string };
  readonly onMove: (deal: Deal, stageId: string) => void;
  readonly onWon: (deal: Deal) => void;
  readonly onLost: (deal: Deal) => void;
  readonly onEdit: (deal: Deal) => void;
}

export function BoardColumn(props: BoardColumnProps) {
  const { pipelineId, stage, sum, changes } = props;
  const read = useRead<Column>(columnPath(pipelineId, stage.id), { kinds: ['deal', 'contact'] });
  const [over, setOver] = useState(false);
  const rows = shownRows(read.body?.data ?? [], stage.id, changes);
  const total = sum?.count ?? read.body?.total ?? 0;
  const sumCents = sum?.sumCents ?? rows.reduce((cents, { valueCents }) => cents + valueCents, 0);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const text = event.dataTransfer?.getData(DRAGGED);
    if (!text) return;
    const deal: Deal = JSON.parse(text);
    props.onMove(deal, stage.id);
  };
  return (
    <section
      class={over ? 'column over' : 'column'}
      aria-labelledby={`stage-${stage.id}`}
      onDragOver={(event) => {
        if (!event.dataTransfer?.types.includes(DRAGGED)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <header class="column-head">
        <h2 id={`stage-${stage.id}`}>{stage.name}</h2>
        <p class="small soft">
          {deals.count(total)} · {moneyOf(sumCents)}
        </p>
      </header>
      <Alert refused={read.refused} onAgain={read.again} />
      <ul aria-label={stage.name}>
        {rows.map((deal) => (
          <Card key={deal.id} deal={deal} {...props} />
        ))}
      </ul>
      {read.body && rows.length === 0 ? <p class="empty small">{deals.emptyStage}</p> : null}
      {total > rows.length && rows.length >= COLUMN_LIMIT ? (
        <p class="column-head small soft">{deals.truncated(rows.length)}</p>
      ) : null}
    </section>
  );
}

/** Rows of the server, in its order, with changed deals already in their new place. */
function shownRows(
  rows: readonly Deal[],
  stageId: string,
  changes: ReadonlyMap<string, Deal>,
): readonly Deal[] {
  const changed = [...changes.values()];
  const here = changed.filter((deal) => deal.stageId === stageId && deal.status === 'open');
  const all = [...here, ...rows.filter(({ id }) => !changes.has(id))];
  return all.toSorted((a, b) => b.updatedAt.localeCompare(a.updatedAt));
}

interface CardProps extends BoardColumnProps {
  readonly deal: Deal;
}

function Card({ deal, team, focused, ...rest }: CardProps) {
  const { title, valueCents, contact, expectedCloseOn, ownerId } = deal;
  const owner = team.find(({ id }) => id === ownerId)?.name;
  const writable = mayWrite();
  const item = useRef<HTMLLIElement>(null);
  useFocusAcross(item, deal.id, focused);
  return (
    <li
      ref={item}
      class="card"
      draggable={writable}
      onDragStart={({ dataTransfer }) => dataTransfer?.setData(DRAGGED, JSON.stringify(deal))}
    >
      <h3>
        <Link to={conversationPathOf(deal)}>{title}</Link>
      </h3>
      <p class="value">{moneyOf(valueCents)}</p>
      <p class="small soft">{contact.name ?? phoneOf(contact.phone)}</p>
      {owner === undefined ? null : <p class="small soft">{deals.ownedBy(isolated(owner))}</p>}
      {expectedCloseOn === null ? null : (
        <p class="small soft">{deals.closesOn(calendarDayOf(expectedCloseOn))}</p>
      )}
      {writable ? <CardActions deal={deal} {...rest} /> : null}
    </li>
  );
}

type CardActionsProps = Pick<
  CardProps,
  'deal' | 'stages' | 'onMove' | 'onWon' | 'onLost' | 'onEdit'
>;

function CardActions({ deal, stages, onMove, onWon, onLost, onEdit }: CardActionsProps) {
  return (
    <div class="row">
      <Menu
        label={deals.moveTo}
        class="button small quiet"
        items={stages.map(({ id, name }) => ({
          key: id,
          text: name,
          chosen: id === deal.stageId,
          choose: () => onMove(deal, id),
        }))}
      />
      <button type="button" class="button small quiet" onClick={() => onWon(deal)}>
        {deals.won}
      </button>
      <button type="button" class="button small quiet" onClick={() => onLost(deal)}>
        {deals.lost}
      </button>
      <button
        type="button"
        class="button small quiet"
        aria-label={`${deals.edit}: ${isolated(deal.title)}`}
        onClick={() => onEdit(deal)}
      >
        {deals.editShort}
      </button>
    </div>
  );
}

/** The focus goes with a card to its new column; where the card is gone, to a neighbour. */
function useFocusAcross(
  item: RefObject<HTMLLIElement | null>,
  id: string,
  focused: BoardColumnProps['focused'],
): void {
  useFocusSuccessor(item, 'section', () => {
    focused.id = id;
    // The new card takes the focus in the same turn.
    queueMicrotask(() => {
      focused.id = '';
    });
  });
  useLayoutEffect(() => {
    if (focused.id === id) item.current?.querySelector('button')?.focus();
  }, []);
}
