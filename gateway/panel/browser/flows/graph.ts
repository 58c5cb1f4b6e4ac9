/** Graph of a flow's steps, and its layout. */
import { Graph, layout } from '@dagrejs/dagre';
import type { Step } from './api.ts';

const NODE_WIDTH = 160;
const NODE_HEIGHT = 52;
const GAP = 24;
const EDGE_LABEL = { width: 64, height: 16, labelpos: 'c' } as const;

export interface Pointer {
  readonly from: string;
  readonly to: string;
  /** `next`, `onTimeout`, `onError`, `else`, `cases.0`. */
  readonly by: string;
}

const POINTERS = ['next', 'onTimeout', 'onError', 'else'] as const;

/** Every way on from every step; one that ends the flow leads nowhere. */
export function pointersOf(steps: readonly Step[]): readonly Pointer[] {
  const known = new Set(steps.map(({ id }) => id));
  return steps.flatMap((step) => {
    const own = POINTERS.map((by) => [by, step[by]] as const);
    const cases: readonly unknown[] = Array.isArray(step.cases) ? step.cases : [];
    const chosen = cases.map((each, index) => [
      `cases.${index}`,
      Reflect.get(Object(each), 'next'),
    ]);
    return [...own, ...chosen].flatMap(([by, to]) =>
      typeof to === 'string' && known.has(to) ? [{ from: step.id, to, by: String(by) }] : [],
    );
  });
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface PlacedStep {
  readonly step: Step;
  /** Of the upper left corner. */
  readonly x: number;
  readonly y: number;
}

export interface PlacedPointer extends Pointer {
  readonly points: readonly Point[];
  /** Of the middle of its label. */
  readonly label: Point;
}

export interface PlacedFlow {
  readonly width: number;
  readonly height: number;
  readonly steps: readonly PlacedStep[];
  readonly pointers: readonly PlacedPointer[];
}

export const NODE = { width: NODE_WIDTH, height: NODE_HEIGHT } as const;

/** In layers from the first step down. */
export function placed(steps: readonly Step[]): PlacedFlow {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: GAP, ranksep: GAP, marginx: 8, marginy: 12 });
  for (const { id } of steps) graph.setNode(id, { ...NODE });
  const pointers = pointersOf(steps);
  for (const { from, to, by } of pointers) graph.setEdge(from, to, { ...EDGE_LABEL }, by);
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  return {
    width,
    height,
    steps: steps.map((step) => {
      const { x, y } = graph.node(step.id);
      return { step, x: x - NODE_WIDTH / 2, y: y - NODE_HEIGHT / 2 };
    }),
    pointers: pointers.map((pointer) => {
      const { points, x, y } = graph.edge(pointer.from, pointer.to, pointer.by);
      return { ...pointer, points, label: { x, y } };
    }),
  };
}
