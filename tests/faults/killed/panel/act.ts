/** What a person does in a page while a process is killed. */
import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import * as v from 'valibot';
import type { PanelFixture } from '../../../support/panel/panel-fixture.ts';
import { waitFor } from '../../../support/wait-for.ts';

/** A press that may meet nothing to press: the page has gone on meanwhile. */
const PRESS_MS = 1_000;

/** All but its last press is done. */
export interface Act {
  /** Asks the server. */
  press(): Promise<void>;
  /** As a person does where it was refused; nothing while it is on its way. */
  pressAgain(): Promise<void>;
  isDone(): Promise<boolean>;
  /** What is lost or doubled, in words. */
  differences(): Promise<readonly string[]>;
}

/** The person's page, and what their acts are about. */
export interface Desk {
  readonly panel: PanelFixture;
  readonly page: Page;
  readonly phone: string;
  readonly contactId: string;
  readonly conversationId: string;
  readonly dealId: string;
  readonly taskId: string;
}

/** Begins every text that somebody else does not write. */
export const OF_ACTS = 'dos atos';

export function settled(act: Act, what: string): Promise<true> {
  const isDone = async () => {
    if (await act.isDone()) return true;
    await act.pressAgain().catch(() => null);
    return null;
  };
  return waitFor(isDone, { what: `${what} is done` });
}

export async function pressIfThere(button: Locator): Promise<void> {
  if ((await button.count()) === 0) return;
  await button.first().click({ timeout: PRESS_MS });
}

/** An act of a dialog, which stays open with its sentence where it was refused. */
export function dialogAct(dialog: Locator, confirm: string, differences: Act['differences']): Act {
  const button = dialog.getByRole('button', { name: confirm });
  const press = async () => button.click({ noWaitAfter: true });
  return {
    press,
    pressAgain: async () => {
      if ((await dialog.getByRole('alert').count()) > 0) await button.click({ timeout: PRESS_MS });
    },
    isDone: async () => (await dialog.count()) === 0,
    differences,
  };
}

export async function read<S extends v.GenericSchema>(
  { stack, shop }: PanelFixture,
  schema: S,
  path: string,
): Promise<v.InferOutput<S>> {
  const answer = await stack.call('GET', path, { key: shop.key });
  assert.equal(answer.status, 200, answer.text);
  return v.parse(schema, answer.json);
}

export async function visit({ page }: Desk, name: string): Promise<void> {
  const link = page.getByRole('navigation').getByRole('link', { name: new RegExp(`^${name}`) });
  await link.click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
}

export const logOf = ({ page }: Desk) => page.getByRole('log', { name: 'Mensagens' });

/** The conversation of the acts. */
export async function openCase(desk: Desk): Promise<void> {
  const { page, conversationId } = desk;
  await page
    .getByRole('navigation')
    .getByRole('link', { name: /^Conversas/ })
    .click();
  const rows = page.getByRole('list', { name: 'Conversas' }).getByRole('link');
  await rows.and(page.locator(`[href*="${conversationId}"]`)).click();
  await logOf(desk).getByRole('article').first().waitFor();
}

export function unless(isRight: boolean, sentence: string): readonly string[] {
  return isRight ? [] : [sentence];
}
