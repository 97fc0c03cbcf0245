const appleNames: Record<string, string> = { Ctrl: '⌘', Alt: '⌥', Shift: '⇧' };

/** The keys of a shortcut as the device's keyboard names them. @param keys such as `Ctrl+Shift+F` */
export function keyNames(keys: string): string[] {
  const isApple = /Mac|iPhone|iPad/.test(navigator.platform);
  return keys.split('+').map((name) => (isApple ? (appleNames[name] ?? name) : name));
}
