/**
 * Pipelines of a provisioning file (D442).
 *
 * 1. A pipeline and a stage are identified by their `ref`, which is the id of one that no file has
 *    made. A stage keeps its id over a new name, and gets it back after its removal.
 * 2. `stages` is the whole new order, as in the API: one that it leaves out is removed. Its deals
 *    need `moveTo`, which counts only while the stage is there: the same file changes nothing.
 * 3. A new organization whose file has a default pipeline has no other; one that exists keeps its.
 */
import { PIPELINES_MAX, STAGES_MAX_PER_PIPELINE } from '../../../shared/limits.ts';
import type { Problem } from '../../../shared/problems/provisioning.ts';
import { unknownName } from '../../../shared/provisioning/nearest.ts';
import {
  type EntryAtPath,
  type ProvisionedOrganization,
  readOrganization,
} from '../../../shared/provisioning/organization.ts';
import type { ProvisionedPipeline } from '../../../shared/provisioning/schema.ts';
import {
  knownPipelines,
  newDefaultPipeline,
  type OrganizationState,
  type PipelineEntry,
  type StageEntry,
} from '../organization.ts';
import { foldStageName } from '../stage-names.ts';
import { type Applying, required } from './context.ts';
import { leftOut, type Pipelines, withLeft, withPipelines } from './pipelines.ts';

type Wanted = EntryAtPath<ProvisionedPipeline>;
type Referred = Pick<PipelineEntry | StageEntry, 'id' | 'ref'>;

/** Its name in a file. */
export function refOf({ id, ref = id }: Referred): string {
  return ref;
}

/** The pipelines of the next state; problems are added to `applying`. */
export function applyPipelines(
  applying: Applying,
  state: OrganizationState | null,
  wanted: readonly Wanted[],
): Pipelines {
  const { pipelines, leftStages, formerStageNames } = state ?? {};
  const stored: Pipelines = {
    ...(pipelines === undefined ? {} : { pipelines }),
    ...(leftStages === undefined ? {} : { leftStages }),
    ...(formerStageNames === undefined ? {} : { formerStageNames }),
  };
  if (wanted.length === 0) return stored;
  const before = pipelinesBefore(applying, state, wanted);
  let changed: Pipelines = { ...stored, pipelines: before };
  for (const each of wanted) changed = applyPipeline(applying, changed, each);
  const { pipelines: after = [] } = changed;
  checkPipelines(applying, after, wanted);
  return withPipelines(changed, before, after);
}

function pipelinesBefore(
  { orgId, context: { ids } }: Applying,
  state: OrganizationState | null,
  wanted: readonly Wanted[],
): readonly PipelineEntry[] {
  const first = newDefaultPipeline(ids, orgId);
  const isReplaced = wanted.some(({ entry }) => entry.default === true && entry.ref !== first.id);
  return state === null && isReplaced ? [] : knownPipelines(state, { ids, orgId });
}

function applyPipeline(applying: Applying, state: Pipelines, wanted: Wanted): Pipelines {
  const { path, entry } = wanted;
  const { pipelines = [] } = state;
  const known = pipelines.find((each) => refOf(each) === entry.ref);
  const name = required(applying, `${path}.name`, entry.name ?? known?.name);
  const given = required(applying, `${path}.stages`, entry.stages ?? known?.stages);
  if (name === null || given === null) return state;
  const id = known?.id ?? applying.context.ids.derive('pip', applying.orgId, entry.ref);
  const stages = entry.stages ? stagesOf(applying, wanted, { id, known }) : (known?.stages ?? []);
  const isDefault = entry.default ?? known?.isDefault ?? false;
  const pipeline: PipelineEntry = {
    ...(known ?? { id, ref: entry.ref }),
    ...{ name, isDefault, stages },
  };
  const removed = known ? leftOut(known, stages) : [];
  const moveTo = movesOf(applying, wanted, { removed, pipeline, known });
  const command = { id: applying.commandId, origin: 'panel' } as const;
  const left = withLeft(state, { pipeline, removed, moveTo, command });
  const others = pipelines.map((each) => {
    if (each === known) return pipeline;
    return entry.default === true ? { ...each, isDefault: false } : each;
  });
  if (!known) applying.created.push(id);
  return { ...left, pipelines: known ? others : [...others, pipeline] };
}

interface Place {
  readonly id: string;
  readonly known: PipelineEntry | undefined;
}

function stagesOf(
  { orgId, context: { ids }, issues }: Applying,
  { path, entry: { stages = [] } }: Wanted,
  { id, known }: Place,
): readonly StageEntry[] {
  const refs = new Set<string>();
  const names = new Set<string>();
  return stages.map(({ ref, name }, at) => {
    const folded = foldStageName(name);
    const place = `${path}.stages.${at}`;
    if (refs.has(ref)) issues.push({ path: `${place}.ref`, problem: repeated(ref) });
    if (names.has(folded)) issues.push({ path: `${place}.name`, problem: repeated(name) });
    refs.add(ref);
    names.add(folded);
    const stage = known?.stages.find((each) => refOf(each) === ref);
    return stage ? { ...stage, name } : { id: ids.derive('stg', orgId, id, ref), ref, name };
  });
}

function repeated(name: string): Problem {
  return { code: 'repeatedName', params: { name } };
}

interface Moves {
  readonly removed: readonly string[];
  readonly pipeline: PipelineEntry;
  readonly known: PipelineEntry | undefined;
}

/** By the ids of removed stages; a name that is no stage's any more is done with. */
function movesOf(
  { issues, context: { stagesWithDeals } }: Applying,
  { path, entry: { moveTo = {} } }: Wanted,
  { removed, pipeline: { stages }, known }: Moves,
): Readonly<Record<string, string>> {
  const moves: Record<string, string> = {};
  for (const id of removed) {
    const from = known?.stages.find((stage) => stage.id === id);
    const to = from ? moveTo[refOf(from)] : undefined;
    const target = stages.find((stage) => refOf(stage) === to);
    if (target) moves[id] = target.id;
    else if (from && to !== undefined) {
      const problem = unknownName('stage', to, stages.map(refOf));
      issues.push({ path: `${path}.moveTo.${refOf(from)}`, problem });
    } else if (from && stagesWithDeals.has(id)) {
      const problem = { code: 'stageHasDeals', params: { ref: refOf(from) } } as const;
      issues.push({ path: `${path}.stages`, problem });
    }
  }
  return moves;
}

function checkPipelines(
  { issues }: Applying,
  pipelines: readonly PipelineEntry[],
  wanted: readonly Wanted[],
): void {
  if (pipelines.length > PIPELINES_MAX) {
    issues.push({ path: 'pipelines', problem: { code: 'full', params: { most: PIPELINES_MAX } } });
  }
  for (const { path, entry } of wanted) {
    if ((entry.stages?.length ?? 0) <= STAGES_MAX_PER_PIPELINE) continue;
    const problem = { code: 'tooManyEntries', params: { most: STAGES_MAX_PER_PIPELINE } } as const;
    issues.push({ path: `${path}.stages`, problem });
  }
  const given = wanted.filter(({ entry }) => entry.default === true);
  const [, second] = given;
  const problem: Problem = { code: 'oneDefault', params: {} };
  if (second) issues.push({ path: `${second.path}.default`, problem });
  const lost = wanted.find(({ entry }) => entry.default === false);
  if (lost && !pipelines.some(({ isDefault }) => isDefault)) {
    issues.push({ path: `${lost.path}.default`, problem });
  }
}

/** Stages that the file leaves out and names no place for: whether they have deals decides. */
export function stagesToCheck(state: OrganizationState | null, raw: unknown): readonly string[] {
  const { organization } = readOrganization(raw);
  return organization ? withoutPlace(state, organization) : [];
}

function withoutPlace(
  state: OrganizationState | null,
  { pipelines: wanted }: ProvisionedOrganization,
): readonly string[] {
  return wanted.flatMap(({ entry }) => {
    const known = state?.pipelines?.find((each) => refOf(each) === entry.ref);
    if (!known || !entry.stages) return [];
    const refs = new Set(entry.stages.map(({ ref }) => ref));
    const left = known.stages.filter((stage) => !refs.has(refOf(stage)));
    return left.filter((stage) => entry.moveTo?.[refOf(stage)] === undefined).map(({ id }) => id);
  });
}
