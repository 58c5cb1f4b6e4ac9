/**
 * Names by which flows find a stage (D441): teams rename and remove stages, and a flow goes on
 * naming them as they were.
 *
 * 1. A stage's former name finds it until another stage takes the name. Those of a removed stage,
 *    and its id, find the stage that its deals followed to.
 * 2. Where stages of two pipelines have one name, it is the default pipeline's, else the first's.
 */
import { FORMER_STAGE_NAMES_MAX } from '../../shared/limits.ts';
import type {
  FormerStageName,
  OrganizationState,
  PipelineEntry,
  StageEntry,
} from './organization.ts';

type Pipelines = Pick<OrganizationState, 'leftStages' | 'formerStageNames'>;

export function foldStageName(name: string): string {
  return name.trim().toLowerCase();
}

/** The stage of that name, or of that id; null where there is none. */
export function stageNamed(
  named: string,
  stages: readonly Pick<StageEntry, 'id' | 'name'>[],
): string | null {
  const wanted = foldStageName(named);
  const byName = stages.find(({ name }) => foldStageName(name) === wanted);
  return (byName ?? stages.find(({ id }) => id === named))?.id ?? null;
}

/** The stages as flows may name them: in the order in which a name is looked for. */
export function nameableStages(
  pipelines: readonly PipelineEntry[],
  former: readonly FormerStageName[] = [],
): readonly Pick<StageEntry, 'id' | 'name'>[] {
  return [
    ...former.map(({ name, stageId }) => ({ id: stageId, name })),
    ...currentStages(pipelines),
  ];
}

/** The default pipeline's come first. */
export function currentStages(pipelines: readonly PipelineEntry[]): readonly StageEntry[] {
  return pipelines
    .toSorted((a, b) => Number(b.isDefault) - Number(a.isDefault))
    .flatMap(({ stages }) => stages);
}

/** What the names of before lead to once the pipelines are `after`. */
export function formerNamesAfter(
  { leftStages = [], formerStageNames: former = [] }: Pipelines,
  before: readonly PipelineEntry[],
  after: readonly PipelineEntry[],
): readonly FormerStageName[] {
  const was = new Map(currentStages(before).map(({ id, name }) => [id, name]));
  const is = new Map(currentStages(after).map(({ id, name }) => [id, name]));
  const taken = new Set<string>();
  for (const [id, name] of is) {
    const before = was.get(id);
    const isKept = before !== undefined && foldStageName(before) === foldStageName(name);
    if (!isKept) taken.add(foldStageName(name));
  }
  const named = nameableStages(before, former);
  const given = [...was].flatMap(([id, name]): FormerStageName[] => {
    const now = is.get(id);
    const isKept = now !== undefined && foldStageName(now) === foldStageName(name);
    if (isKept || stageNamed(name, named) !== id) return [];
    const stageId = now === undefined ? followedTo(former, leftStages, id) : id;
    return stageId === null ? [] : [{ name, stageId }];
  });
  const names = [...former, ...given].filter(
    ({ name, stageId }) => is.has(stageId) && !taken.has(foldStageName(name)),
  );
  return names.slice(-FORMER_STAGE_NAMES_MAX);
}

/** Only where the caller said so: flows do not go to a stage that nobody chose. */
function followedTo(
  former: readonly FormerStageName[],
  left: NonNullable<Pipelines['leftStages']>,
  id: string,
): string | null {
  const chosen = former.some(({ name }) => name === id);
  return chosen ? (left.find((each) => each.id === id)?.to ?? null) : null;
}
