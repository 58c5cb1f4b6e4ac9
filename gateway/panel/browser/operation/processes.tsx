/** Running processes, and the partitions that each holds. */
import { Table } from '../base/parts.tsx';
import { TEXT } from '../sentences.ts';
import type { OperationState, RunningProcess } from './api.ts';
import { type KindMap, partitionMap, rangesOf, rangeText } from './partitions.ts';

const { operation } = TEXT;
const [WIDTH, HEIGHT] = [1_024, 16];
const COLOURS = 6;

interface ProcessesProps {
  readonly rows: readonly RunningProcess[];
  readonly others: OperationState['others'];
}

export function Processes({ rows, others }: ProcessesProps) {
  return (
    <section class="block">
      <h2>{operation.processes}</h2>
      <Table label={operation.processes} columns={Object.values(operation.columns)}>
        {rows.map(({ id, pid, kinds, mailboxes, depth, turnsPerSecond }) => (
          <tr key={id}>
            <td>{id}</td>
            <td>{operation.roles.actors}</td>
            <td>{pid}</td>
            <td>{kinds.map((kind) => operation.actorNames[kind] ?? kind).join(', ')}</td>
            <td>{mailboxes}</td>
            <td>{depth}</td>
            <td>{turnsPerSecond}</td>
          </tr>
        ))}
        {others.map(({ id, role }) => (
          <tr key={id}>
            <td>{id}</td>
            <td>{operation.roles[role] ?? role}</td>
            <td class="soft" colSpan={Object.keys(operation.columns).length - 2}>
              {operation.withoutPartitions}
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

export function PartitionMap({ processes }: { readonly processes: readonly RunningProcess[] }) {
  return (
    <section class="block">
      <h2>{operation.partitions}</h2>
      <ul class="lines" aria-label={operation.partitions}>
        {partitionMap(processes).map((map) => (
          <KindLine key={map.kind} map={map} processes={processes} />
        ))}
      </ul>
    </section>
  );
}

interface KindLineProps {
  readonly map: KindMap;
  readonly processes: readonly RunningProcess[];
}

function KindLine({ map: { kind, held }, processes }: KindLineProps) {
  const scale = WIDTH / (1 + Math.max(0, ...held.map(({ to }) => to)));
  const owners = processes.flatMap(({ id }, process) => {
    const own = held.filter((each) => each.process === process);
    const epochs = own.map(({ epoch }) => ({ from: epoch, to: epoch }));
    return own.length === 0 ? [] : [operation.holds(id, rangesOf(own), rangesOf(epochs))];
  });
  return (
    <li>
      <div class="grow">
        <p class="strong">{operation.actorNames[kind] ?? kind}</p>
        <svg class="partitions" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
          {held.map(({ from, to, epoch, process }) => (
            <rect
              key={from}
              class={`owner-${process % COLOURS}`}
              x={from * scale}
              width={(to - from + 1) * scale}
              height={HEIGHT}
            >
              <title>
                {operation.cell(rangeText({ from, to }), processes[process]?.id ?? '', epoch)}
              </title>
            </rect>
          ))}
        </svg>
        {owners.map((owner) => (
          <p key={owner} class="soft small anywhere">
            {owner}
          </p>
        ))}
      </div>
    </li>
  );
}
