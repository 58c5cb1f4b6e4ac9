/**
 * Texts that survive a reload, in the browser's own storage. A browser that refuses storage keeps
 * them for the life of the page.
 */

const inMemory = new Map<string, string>();

export function storeText(name: string, text: string): void {
  if (text === '') inMemory.delete(name);
  else inMemory.set(name, text);
  try {
    if (text === '') localStorage.removeItem(name);
    else localStorage.setItem(name, text);
  } catch {
    // The storage is full or forbidden: memory has the text.
    return;
  }
}

export function storedText(name: string): string {
  try {
    return localStorage.getItem(name) ?? inMemory.get(name) ?? '';
  } catch {
    return inMemory.get(name) ?? '';
  }
}

/** Names of kept texts that begin so. */
export function namesOf(prefix: string): readonly string[] {
  const names = new Set([...inMemory.keys(), ...storedNames()]);
  return [...names].filter((name) => name.startsWith(prefix));
}

function storedNames(): readonly string[] {
  try {
    return Object.keys(localStorage);
  } catch {
    return [];
  }
}

/** Forgets every text whose name begins so: a member's drafts end with the session. */
export function removeTexts(prefix: string): void {
  for (const name of [...inMemory.keys()]) if (name.startsWith(prefix)) inMemory.delete(name);
  try {
    for (const name of Object.keys(localStorage)) {
      if (name.startsWith(prefix)) localStorage.removeItem(name);
    }
  } catch {
    return;
  }
}
