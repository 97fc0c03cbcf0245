import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { findFile } from '../rig/debian-program.ts';

const cache = path.resolve(import.meta.dirname, '../../node_modules/.cache/parley');
const fonts = [
  ['fonts-inter', 'usr/share/fonts/opentype/inter/Inter-Regular.otf'],
  ['fonts-noto-color-emoji', 'usr/share/fonts/truetype/noto/NotoColorEmoji.ttf'],
] as const;

const preferred = ['system-ui', 'sans-serif', 'sans'].map(
  (family) =>
    `<match><test name="family"><string>${family}</string></test>
<edit name="family" mode="prepend" binding="strong"><string>Inter</string></edit></match>`,
);

/**
 * Gives browsers that are started from now on the same fonts on each machine, with emoji: one without a desktop has few, and
 * draws boxes.
 */
export async function useFonts(): Promise<void> {
  const folders = ['/usr/share/fonts'];
  for (const [name, file] of fonts) folders.push(path.dirname(path.join(await findFile(name, file), file)));
  const config = path.join(cache, 'fonts.conf');
  mkdirSync(cache, { recursive: true });
  writeFileSync(
    config,
    `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
${folders.map((folder) => `<dir>${folder}</dir>`).join('\n')}
<cachedir>${path.join(cache, 'fonts')}</cachedir>
<include ignore_missing="yes">/etc/fonts/fonts.conf</include>
${preferred.join('\n')}
</fontconfig>
`,
  );
  process.env.FONTCONFIG_FILE = config;
}
