/** Keys of what this browser stores for the signed-in user, besides tokens and unsent messages. */
export const keptKeys = {
  draft: 'parley:draft:',
  refused: 'parley:refused:',
  editing: 'parley:editing',
  files: 'parley:files:',
  scroll: 'parley:scroll:',
  place: 'parley:place',
  alerts: 'parley:alerts',
  unproven: 'parley:unproven',
};

/** The next user of this browser must not see it. */
export function forgetKept(): void {
  for (const store of [localStorage, sessionStorage]) {
    const kept = Object.keys(store).filter((key) => Object.values(keptKeys).some((prefix) => key.startsWith(prefix)));
    for (const key of kept) store.removeItem(key);
  }
}
