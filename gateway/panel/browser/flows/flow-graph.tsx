/** A flow drawn as a graph, with the number of conversations that wait at each step. */
import { useMemo } from 'preact/hooks';
import { Scrolled } from '../base/parts.tsx';
import { TEXT } from '../sentences.ts';
import type { PanelFlow, Step } from './api.ts';
import { NODE, type PlacedPointer, type PlacedStep, type Point, placed } from './graph.ts';

const { flows } = TEXT;
const NAME_MAX_CHARS = 18;
/** A wider drawing scrolls: smaller, its words were not readable. */
const FITS_PX = 640;
/** On the upper edge of a step's box. */
const BADGE = { x: NODE.width - 68, width: 72 };

interface FlowGraphProps {
  readonly flow: PanelFlow;
  /** At which the shown run waits. */
  readonly current: string | null;
}

export function FlowGraph({ flow, current }: FlowGraphProps) {
  const { width, height, steps, pointers } = useMemo(() => placed(flow.steps), [flow.steps]);
  return (
    <Scrolled label={flows.graphOf(flow.name)}>
      <svg
        class={width > FITS_PX ? 'graph wide' : 'graph'}
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        aria-hidden="true"
      >
        <defs>
          <marker
            id="tip"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            orient="auto"
          >
            <path class="graph-tip" d="M0 0 8 4 0 8z" />
          </marker>
        </defs>
        {pointers.map((pointer) => (
          <PointerLine key={`${pointer.from} ${pointer.by}`} pointer={pointer} />
        ))}
        {steps.map((each) => (
          <StepBox
            key={each.step.id}
            placed={each}
            waiting={flow.waiting[each.step.id] ?? 0}
            isCurrent={each.step.id === current}
          />
        ))}
      </svg>
      <StepList flow={flow} />
    </Scrolled>
  );
}

function PointerLine({ pointer }: { readonly pointer: PlacedPointer }) {
  const { points, by, label } = pointer;
  const path = curveThrough(points);
  return (
    <g>
      <path class="graph-line" d={path} marker-end="url(#tip)" />
      {by === 'next' ? null : (
        <text class="graph-label graph-way" x={label.x} y={label.y} text-anchor="middle">
          {wayOf(by)}
        </text>
      )}
    </g>
  );
}

/** Bends at the layout's points, through the middles between them. */
function curveThrough(points: readonly Point[]): string {
  const parts = points.map(({ x, y }, index) => {
    const next = points[index + 1];
    if (index === 0) return `M${x} ${y}`;
    return next ? `Q${x} ${y} ${(x + next.x) / 2} ${(y + next.y) / 2}` : `L${x} ${y}`;
  });
  return parts.join('');
}

interface StepBoxProps {
  readonly placed: PlacedStep;
  readonly waiting: number;
  readonly isCurrent: boolean;
}

function StepBox({ placed: { step, x, y }, waiting, isCurrent }: StepBoxProps) {
  return (
    <g transform={`translate(${x} ${y})`}>
      <rect
        class={isCurrent ? 'graph-step current' : waiting > 0 ? 'graph-step waits' : 'graph-step'}
        width={NODE.width}
        height={NODE.height}
        rx="8"
      />
      <text class="graph-name" x="10" y="21">
        {step.id.length > NAME_MAX_CHARS ? `${step.id.slice(0, NAME_MAX_CHARS)}…` : step.id}
      </text>
      <text class="graph-label" x="10" y="39">
        {kindOf(step)}
      </text>
      {waiting === 0 ? null : (
        <g>
          <rect class="graph-badge" x={BADGE.x} y="-10" width={BADGE.width} height="20" rx="10" />
          <text class="graph-count" x={BADGE.x + BADGE.width / 2} y="4" text-anchor="middle">
            {flows.waiting(waiting)}
          </text>
        </g>
      )}
    </g>
  );
}

/** The drawing in words. */
function StepList({ flow }: { readonly flow: PanelFlow }) {
  return (
    <ol class="spoken" aria-label={flows.steps}>
      {flow.steps.map((step) => (
        <li key={step.id}>
          {step.id}: {kindOf(step)}. {flows.waiting(flow.waiting[step.id] ?? 0)}
        </li>
      ))}
    </ol>
  );
}

/** Of a message, by its content. */
function kindOf(step: Step): string {
  const content = Object.keys(flows.contents).find((name) => step[name] !== undefined);
  const label = step.do === 'send' && content !== undefined ? flows.contents[content] : undefined;
  return label ?? flows.kinds[step.do] ?? step.do;
}

/** The way by which a run went on: `cases.0`, `onTimeout`. */
export function wayOf(by: string): string {
  const [name = '', index] = by.split('.');
  return index === undefined ? (flows.ways[name] ?? name) : flows.case(Number(index) + 1);
}
