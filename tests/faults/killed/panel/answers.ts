/** A person who writes answers in a page while processes are killed. */
import type { Page } from 'playwright-core';
import type { PanelFixture } from '../../../support/panel/panel-fixture.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { everyMessage } from '../../chaos/messages.ts';

export class Answers {
  readonly #panel: PanelFixture;
  readonly #page: Page;
  #count = 0;

  constructor(panel: PanelFixture, page: Page) {
    this.#panel = panel;
    this.#page = page;
  }

  async write(): Promise<void> {
    this.#count += 1;
    const box = this.#page.getByRole('textbox', { name: 'Mensagem' });
    await box.fill(textOf(this.#count));
    await box.press('Enter');
  }

  /** Sends refused ones again, until the server has accepted all. */
  async sendAll(): Promise<void> {
    const log = this.#page.getByRole('log', { name: 'Mensagens' });
    const again = log.getByRole('button', { name: 'Tentar de novo' });
    const isSent = async () => {
      if ((await again.count()) === 0) return (await log.getByText(/^Enviando/).count()) === 0;
      // It may go by itself meanwhile.
      await again
        .first()
        .click({ timeout: 1_000 })
        .catch(() => null);
      return false;
    };
    await waitFor(isSent, { what: 'every answer is sent' });
  }

  /** Answers that the conversation does not have exactly once, in words. */
  async differences(conversationId: string): Promise<readonly string[]> {
    const { stack, shop } = this.#panel;
    const { messages } = await everyMessage(stack, shop, conversationId);
    return Array.from({ length: this.#count }, (_, index) => textOf(index + 1)).flatMap((text) => {
      const count = messages.filter((each) => each.text === text).length;
      return count === 1 ? [] : [`${text} ${count} times`];
    });
  }
}

function textOf(number: number): string {
  return `resposta número ${number}.`;
}
