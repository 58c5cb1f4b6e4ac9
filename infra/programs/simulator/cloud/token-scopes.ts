/** Permissions of the simulated access tokens; a token has all of them until a control says so. */

export const MANAGEMENT = 'whatsapp_business_management';
export const MESSAGING = 'whatsapp_business_messaging';
export const PROFILE = 'public_profile';
const ALL: readonly string[] = [MANAGEMENT, MESSAGING, PROFILE];

export class TokenScopes {
  readonly #scopes = new Map<string, readonly string[]>();

  of(token: string): readonly string[] {
    return this.#scopes.get(token) ?? ALL;
  }

  has(token: string, scope: string): boolean {
    return this.of(token).includes(scope);
  }

  set(token: string, scopes: readonly string[]): void {
    this.#scopes.set(token, [...scopes, PROFILE]);
  }

  clear(): void {
    this.#scopes.clear();
  }
}
