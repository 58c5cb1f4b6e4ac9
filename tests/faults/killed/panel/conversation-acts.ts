/** Acts in a conversation: reactions, quotes, forwarded messages, who has it, and new ones. */
import { ListMessagesAnswer, type Message } from '../../../../shared/api/message.ts';
import { freshPhone } from '../../../support/api.ts';
import { waitFor } from '../../../support/wait-for.ts';
import {
  type Act,
  type Desk,
  dialogAct,
  logOf,
  OF_ACTS,
  openCase,
  pressIfThere,
  read,
  unless,
} from './act.ts';

const EMOJI = ['👍', '❤️', '🎉'];

async function history({ panel, conversationId }: Desk): Promise<readonly Message[]> {
  const path = `/api/v1/messages?conversationId=${conversationId}&limit=200`;
  return (await read(panel, ListMessagesAnswer, path)).data;
}

/** The contact writes; gives back the message as the page shows it. */
async function asked(desk: Desk, n: number) {
  const { panel, phone } = desk;
  const text = `pergunta ${OF_ACTS} ${n}.`;
  await panel.stack.network.inbound({ channelId: panel.shop.main, from: phone, text });
  await openCase(desk);
  const bubble = logOf(desk).getByRole('article').filter({ hasText: text });
  await bubble.first().waitFor();
  return { text, bubble: bubble.first() };
}

type Asked = Awaited<ReturnType<typeof asked>>;

async function choose({ bubble }: Asked, item: string): Promise<void> {
  await bubble.getByRole('button', { name: 'Ações da mensagem' }).click();
  await bubble.getByRole('menuitem', { name: item }).click();
}

/** One that the page keeps until the server has it. */
function keptAct(desk: Desk, press: Act['press'], isWanted: (message: Message) => boolean): Act {
  const found = async () => (await history(desk)).filter(isWanted).length;
  return {
    press,
    pressAgain: () => pressIfThere(logOf(desk).getByRole('button', { name: 'Tentar de novo' })),
    isDone: async () => (await found()) > 0,
    differences: async () => {
      const count = await found();
      return unless(count === 1, `${count} times in the history`);
    },
  };
}

/** The network refuses a message of the case, and takes its repeat. */
export async function resend(desk: Desk, n: number): Promise<Act> {
  const { panel, phone } = desk;
  const { stack, shop } = panel;
  const text = `devolvida ${OF_ACTS} ${n}.`;
  const toCase = { phoneNumberId: shop.phoneNumberId, to: phone };
  await stack.network.fault({ ...toCase, code: 131026 });
  await stack.send(shop.key, { channelId: shop.main, phone, text });
  await openCase(desk);
  const failed = logOf(desk).getByRole('article').filter({ hasText: text }).first();
  const button = failed.getByRole('button', { name: 'Reenviar mensagem' });
  await button.waitFor();
  // In place of the refusal, which would hold.
  await stack.network.fault({ ...toCase, delayMs: 0 });
  const isWanted = (sent: Message) => sent.text === text && sent.status !== 'failed';
  const act = keptAct(desk, () => button.click({ noWaitAfter: true }), isWanted);
  const pressAgain = async () => {
    await pressIfThere(button);
    await act.pressAgain();
  };
  return { ...act, pressAgain };
}

async function idOf(desk: Desk, text: string): Promise<string> {
  return (await history(desk)).find((message) => message.text === text)?.id ?? '';
}

export async function react(desk: Desk, n: number): Promise<Act> {
  const message = await asked(desk, n);
  const id = await idOf(desk, message.text);
  const emoji = EMOJI[n % EMOJI.length] ?? '';
  await choose(message, 'Reagir');
  const button = desk.page.getByRole('button', { name: emoji, exact: true });
  await button.waitFor();
  const isWanted = ({ reaction }: Message) =>
    reaction?.messageId === id && reaction.emoji === emoji;
  return keptAct(desk, () => button.click({ noWaitAfter: true }), isWanted);
}

export async function quote(desk: Desk, n: number): Promise<Act> {
  const message = await asked(desk, n);
  const id = await idOf(desk, message.text);
  await choose(message, 'Responder');
  const text = `citação ${OF_ACTS} ${n}.`;
  const box = desk.page.getByRole('textbox', { name: 'Mensagem' });
  await box.fill(text);
  const isWanted = (sent: Message) => sent.text === text && sent.replyToId === id;
  return keptAct(desk, () => box.press('Enter', { noWaitAfter: true }), isWanted);
}

/** By the API, and by the network that has brought it. */
async function cameOnce({ panel }: Desk, phone: string, text: string) {
  const { stack, shop } = panel;
  const { data } = await stack.conversations(shop.key, '?limit=100');
  const found = data.filter(({ contact }) => contact.phone === phone);
  const messages = await Promise.all(found.map(({ id }) => stack.history(shop.key, id)));
  const texts = messages.flat().map((message) => message.text);
  const sent = await stack.network.sent(phone);
  const counts = [found.length, texts.length, sent.filter((each) => each.text === text).length];
  const isOnce = texts[0] === text && counts.every((count) => count === 1);
  return unless(isOnce, `${phone}: ${counts.join(', ')} conversations, messages, sends`);
}

export async function forward(desk: Desk, n: number): Promise<Act> {
  const message = await asked(desk, n);
  await choose(message, 'Encaminhar');
  const dialog = desk.page.getByRole('dialog', { name: 'Encaminhar' });
  const phone = freshPhone();
  await dialog.getByRole('combobox', { name: 'Contato ou telefone' }).fill(`+${phone}`);
  return dialogAct(dialog, 'Encaminhar mensagem', () => cameOnce(desk, phone, message.text));
}

export async function begin(desk: Desk, n: number): Promise<Act> {
  const { page } = desk;
  await openCase(desk);
  await page.getByRole('button', { name: 'Nova conversa' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Nova conversa' });
  const phone = freshPhone();
  const text = `início ${OF_ACTS} ${n}.`;
  await dialog.getByRole('combobox', { name: 'Contato ou telefone' }).fill(`+${phone}`);
  await dialog.getByRole('combobox', { name: 'Canal' }).selectOption('Vendas');
  await dialog.getByRole('textbox', { name: 'Texto' }).fill(text);
  return dialogAct(dialog, 'Iniciar conversa', () => cameOnce(desk, phone, text));
}

/** A change of the conversation itself, which shows a sentence where it was refused. */
async function changeAct(
  desk: Desk,
  press: Act['press'],
  isWanted: (conversation: { status: string; assignedTo: string | null }) => boolean,
): Promise<Act> {
  const { panel, page, conversationId } = desk;
  const isDone = async () => {
    const { data } = await panel.stack.conversations(panel.shop.key, '?limit=100');
    return data.some((each) => each.id === conversationId && isWanted(each));
  };
  return {
    press,
    isDone,
    pressAgain: async () => {
      if ((await page.getByRole('alert').count()) > 0) await press();
    },
    // It is told after: the next act may have changed it again.
    differences: async () => [],
  };
}

export async function assign(desk: Desk): Promise<Act> {
  const { panel, page, conversationId } = desk;
  await openCase(desk);
  const { data } = await panel.stack.conversations(panel.shop.key, '?limit=100');
  const { ana = '', bia = '' } = panel.shop.applied.members;
  const isBias = data.find(({ id }) => id === conversationId)?.assignedTo === bia;
  const press = async () => {
    await page.getByRole('button', { name: 'Atribuir' }).click({ timeout: 5_000 });
    const name = isBias ? /^Ana Souza/ : /^Bia Reis/;
    await page.getByRole('menuitem', { name }).click({ timeout: 5_000 });
  };
  return changeAct(desk, press, ({ assignedTo }) => assignedTo === (isBias ? ana : bia));
}

export async function resolve(desk: Desk, n: number): Promise<Act> {
  await asked(desk, n);
  const button = desk.page.getByRole('button', { name: 'Resolver', exact: true });
  await waitFor(async () => (await button.count()) === 1, { what: 'it is open again' });
  const press = () => button.click({ timeout: 5_000, noWaitAfter: true });
  return changeAct(desk, press, ({ status }) => status === 'resolved');
}
