/** Screen "Fluxos": each flow as a graph, who waits where, a run's trace, and the flow's text. */
import { Alert, Empty, Link } from '../base/parts.tsx';
import { idIn, place } from '../base/router.ts';
import { useRead } from '../base/use-read.ts';
import { TEXT } from '../sentences.ts';
import { FLOWS_PATH, type FlowList, type PanelFlow } from './api.ts';
import { FlowDetail } from './flow-detail.tsx';

const { flows } = TEXT;

export function Flows() {
  const read = useRead<FlowList>(FLOWS_PATH, { kinds: ['organization', 'conversation'] });
  const rows = read.body?.data ?? [];
  const chosenId = idIn(place.value.path);
  const chosen = rows.find(({ id }) => id === chosenId) ?? rows[0];
  return (
    <div class="screen">
      <header class="screen-head">
        <h1>{flows.title}</h1>
        {read.body?.countedWhole === false ? (
          <span class="soft small">{flows.countedPart}</span>
        ) : null}
      </header>
      <Alert refused={read.refused} onAgain={read.again} />
      {read.body === null && !read.refused ? <p class="empty">{TEXT.loading}</p> : null}
      {read.body && rows.length === 0 ? (
        <Empty title={flows.emptyTitle} text={flows.emptyText} />
      ) : null}
      {chosen ? (
        <div class="two flows">
          <FlowLines rows={rows} chosenId={chosen.id} />
          <FlowDetail key={chosen.id} flow={chosen} />
        </div>
      ) : null}
    </div>
  );
}

interface FlowLinesProps {
  readonly rows: readonly PanelFlow[];
  readonly chosenId: string;
}

function FlowLines({ rows, chosenId }: FlowLinesProps) {
  return (
    <ul class="lines choice-lines" aria-label={flows.title}>
      {rows.map(({ id, name, enabled, running }) => (
        <li key={id}>
          <Link to={`/fluxos/${encodeURIComponent(id)}`} class="grow" current={id === chosenId}>
            <span class="strong grow">{name}</span>
            <span class="soft small">{enabled ? flows.running(running) : flows.disabled}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
