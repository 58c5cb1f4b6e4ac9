/** The composer's tools, in a real browser, by role and name. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { violations } from '../../support/browser.ts';
import { usePanel } from '../../support/panel/panel-fixture.ts';
import { openWith } from './open-conversation.ts';

const TOOLS = [
  'Nota',
  'Anexar arquivo',
  'Gravar áudio',
  'Emoji',
  'Respostas rápidas',
  'Modelos',
  'Agendar',
  'Enviar',
];
const TOUCHED_MIN_PX = 44;
const WAYS = [
  { width: 1280, dark: false, touch: false },
  { width: 390, dark: true, touch: true },
];

const panel = usePanel();

for (const way of WAYS) {
  test(`the tools stand in one row, each with a name and a tooltip (${way.width} px)`, async () => {
    const { page, context, offences } = await panel.signIn('ana', { ...way, height: 844 });
    await openWith(panel, page, `Rui ${way.width}`);
    const rows = new Set<number>();
    for (const name of TOOLS) {
      const tool = page.getByRole('button', { name, exact: true });
      const box = await tool.boundingBox();
      assert.ok(box, name);
      rows.add(Math.round(box.y + box.height / 2));
      assert.ok(box.x >= 0 && box.x + box.width <= way.width, `${name} is within the window`);
      assert.equal(await tool.getAttribute('title'), name);
      if (!way.touch) continue;
      const least = Math.min(box.width, box.height);
      assert.ok(least >= TOUCHED_MIN_PX, `${name} has ${least} px for a finger`);
    }
    assert.equal(rows.size, 1, `rows at ${[...rows].join()} px`);
    await page.getByRole('button', { name: 'Nota', exact: true }).click();
    await page.getByRole('button', { name: 'Nota', exact: true, pressed: true }).waitFor();
    assert.deepEqual(await violations(page), []);
    assert.deepEqual(offences, []);
    await context.close();
  });
}
