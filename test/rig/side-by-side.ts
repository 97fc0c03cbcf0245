/**
 * Tests that mostly wait, each under its own name: the first one begins them all, so that they wait at the same time.
 * Hooks around each single test do not suit them.
 */
export function sideBySide(tests: Record<string, () => Promise<void>>): void {
  let begun: Map<string, Promise<void>> | undefined;
  for (const name of Object.keys(tests)) {
    it(name, () => {
      begun ??= beginAll(tests);
      return begun.get(name);
    });
  }
}

function beginAll(tests: Record<string, () => Promise<void>>): Map<string, Promise<void>> {
  const begun = Object.entries(tests).map(([name, test]): [string, Promise<void>] => [name, test()]);
  // One that fails before its turn fails then.
  for (const [, test] of begun) test.catch(() => {});
  return new Map(begun);
}
