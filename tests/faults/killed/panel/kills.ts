/**
 * Open pages beside random changes and kill -9 of the panel, the actors and NATS. Afterwards every
 * page shows what the API lists, without a reload.
 */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { PanelPage } from '../../../support/browser.ts';
import { killHard } from '../../../support/kills.ts';
import type { PanelFixture } from '../../../support/panel/panel-fixture.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { SeededRandom } from '../../simulation/world/seeded-random.ts';
import { openCase, visit } from './act.ts';
import { Acts } from './acts.ts';
import { Answers } from './answers.ts';
import { Changes, ORIGINS, type Origin } from './changes.ts';
import {
  boardDifferences,
  contactDifferences,
  listDifferences,
  tasksDifferences,
  threadDifferences,
} from './shown.ts';

const KILLED = ['panel', 'actors', 'nats'] as const;
const CHANGES_BETWEEN_KILLS = { least: 6, most: 8 };
/** From a press until the kill: its call is on its way, or done and not answered. */
const PRESSED_MAX_MS = 90;
const NOT_RELOADED = 'not reloaded';

export interface KillsPlan {
  readonly seed: number;
  readonly changes: number;
  readonly tell: (sentence: string) => void;
}

export interface KillsReport {
  /** Changes that were made, by their origin. */
  readonly made: Readonly<Record<Origin, number>>;
  readonly refused: number;
  readonly kills: number;
  /** Kinds of acts that were pressed at a kill. */
  readonly acts: ReadonlySet<string>;
  /** That were left when the time was over. */
  readonly differences: readonly string[];
}

/** @throws where a page was reloaded */
export async function changeAndKill(panel: PanelFixture, plan: KillsPlan): Promise<KillsReport> {
  const random = new SeededRandom(plan.seed);
  plan.tell(`seed ${plan.seed}`);
  const worker = await panel.signIn('ana');
  const changes = await Changes.begin({ panel, random: random.branch(), worker });
  const watching = await openPages(panel, worker);
  const acts = await Acts.begin(panel, random.branch());
  const pages = { ...watching, ...(await openActsPages(panel, acts)) };
  const answers = new Answers(panel, pages.thread.page);
  const worked = await work({ panel, random, changes, answers, acts }, plan);
  await answers.sendAll();
  const differences = await untilRight(async () => [
    ...(await answers.differences(pages.conversationId)),
    ...(await acts.differences()),
    ...(await differencesOf(panel, pages)),
  ]);
  for (const { page } of [pages.list, pages.thread, pages.board, pages.case, pages.tasks]) {
    assert.equal(await page.evaluate('globalThis.mark'), NOT_RELOADED);
  }
  return { ...worked, differences };
}

interface WatchingPages {
  readonly list: PanelPage;
  readonly thread: PanelPage;
  readonly conversationId: string;
  readonly board: PanelPage;
}

interface OpenPages extends WatchingPages {
  /** Of the acts' conversation and its contact. */
  readonly case: PanelPage;
  readonly acts: Acts;
  readonly tasks: PanelPage;
}

async function openPages(panel: PanelFixture, list: PanelPage): Promise<WatchingPages> {
  const { data } = await panel.stack.conversations(panel.shop.key, '?limit=50');
  const [watched] = data;
  assert.ok(watched);
  const thread = await panel.signIn('bia');
  await thread.page.getByRole('link', { name: watched.contact.name ?? '' }).click();
  const board = await panel.signIn('bia');
  await board.page.getByRole('link', { name: 'Negócios' }).click();
  await board.page.getByRole('heading', { name: 'Negócios' }).waitFor();
  await mark(list, thread, board);
  return { list, thread, board, conversationId: watched.id };
}

async function mark(...pages: readonly PanelPage[]): Promise<void> {
  for (const { page } of pages) await page.evaluate(`globalThis.mark = '${NOT_RELOADED}'`);
}

async function openActsPages(panel: PanelFixture, acts: Acts) {
  const opened = await panel.signIn('bia');
  await openCase({ ...acts.desk, page: opened.page });
  const tasks = await panel.signIn('bia');
  await visit({ ...acts.desk, page: tasks.page }, 'Tarefas');
  await mark(opened, tasks);
  return { acts, case: opened, tasks };
}

interface Working {
  readonly panel: PanelFixture;
  readonly random: SeededRandom;
  readonly changes: Changes;
  readonly answers: Answers;
  readonly acts: Acts;
}

/** Changes go on while a killed process starts again: one may be refused meanwhile. */
async function work(
  { panel, random, changes, answers, acts }: Working,
  { changes: wanted, tell }: KillsPlan,
) {
  const made = { api: 0, network: 0, panel: 0 };
  let refused = 0;
  let kills = 0;
  const pressed = new Set<string>();
  let recovery: Promise<unknown> = Promise.resolve();
  let nextKill = random.between(CHANGES_BETWEEN_KILLS.least, CHANGES_BETWEEN_KILLS.most);
  for (let n = 1; n <= wanted; n++) {
    const origin = await changes.make().catch(() => null);
    if (origin === null) refused += 1;
    else made[origin] += 1;
    if (n < nextKill) continue;
    await recovery;
    nextKill = n + random.between(CHANGES_BETWEEN_KILLS.least, CHANGES_BETWEEN_KILLS.most);
    kills += 1;
    const role = random.pick(KILLED);
    const act = await acts.prepare();
    pressed.add(act.kind);
    tell(`${n} changes, ${refused} refused, ${act.kind}: kill -9 of ${role}`);
    const pressing = act.press();
    await pause(random.between(0, PRESSED_MAX_MS));
    const killed = killHard(panel.stack, role).then(() => untilAnswers(panel));
    recovery = Promise.all([killed, pressing.then(() => acts.settled(act))]);
    recovery.catch(() => undefined);
    // It is on the page at once, and on its way while the process is away.
    await answers.write();
  }
  await recovery;
  return { made, refused, kills, acts: pressed };
}

/** A new process runs before it answers: a screen whose script did not come asks for a reload. */
function untilAnswers({ url }: PanelFixture): Promise<true> {
  const answers = async () => (await fetch(url).catch(() => null))?.ok || null;
  return waitFor(answers, { what: 'the panel answers' });
}

async function differencesOf(panel: PanelFixture, pages: OpenPages): Promise<readonly string[]> {
  const { list, thread, board, conversationId, acts, tasks } = pages;
  const { desk } = acts;
  const found = await Promise.all([
    listDifferences(panel, list.page),
    listDifferences(panel, thread.page),
    threadDifferences(panel, thread.page, conversationId),
    boardDifferences(panel, board.page),
    threadDifferences(panel, pages.case.page, desk.conversationId),
    contactDifferences(panel, pages.case.page, desk.phone),
    tasksDifferences(panel, tasks.page),
  ]);
  return found.flat();
}

/** The last differences; none once every page is right without a reload. */
async function untilRight(differences: () => Promise<readonly string[]>) {
  let last: readonly string[] = [];
  const isRight = async () => {
    last = await differences().catch((fault: unknown) => [String(fault)]);
    return last.length === 0;
  };
  await waitFor(isRight, { what: 'every page is right' }).catch(() => false);
  return last;
}

export function sentenceOf({ made, refused, kills }: KillsReport): string {
  const counts = ORIGINS.map((origin) => `${made[origin]} by ${origin}`).join(', ');
  return `${counts}, ${refused} refused, ${kills} kills`;
}
