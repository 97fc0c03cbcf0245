/** The scripts of living languages: those that UAX 31 recommends for identifiers, and those of limited use (Unicode 17). */
const recommended =
  'Arab Armn Beng Bopo Cyrl Deva Ethi Geor Grek Gujr Guru Hang Hani Hebr Hira Kana Khmr Knda Laoo Latn Mlym Mymr Orya Sinh Taml Telu Thaa Thai Tibt';
const limited =
  'Adlm Bali Bamu Batk Cakm Cans Cham Cher Hmnp Java Kali Lana Lepc Limb Lisu Mand Mtei Newa Nkoo Olck Osge Plrd Rohg Saur Sund Sylo Syrc Tale Talu Tavt Tfng Vaii Wcho Yiii';

/** Those of which a letter is, in one list. */
export const scripts = `${recommended} ${limited}`.split(' ');

/** Latin with what Japanese, Chinese and Korean are written in (UTS 39, section 5.2), and each other script by itself. */
const systems = ['Latn Hani Hira Kana', 'Latn Hani Bopo', 'Latn Hani Hang', ...scripts];

/** Built when first needed: each takes a millisecond or so. */
const patterns = new Map<string, RegExp>();

function isIn(system: string, text: string): boolean {
  const scripts = system.split(' ').map((script) => `\\p{scx=${script}}`);
  const pattern = patterns.get(system) ?? new RegExp(`^[${scripts.join('')}]*$`, 'u');
  patterns.set(system, pattern);
  return pattern.test(text);
}

/** What is used with many scripts, and what takes the script of the letter before it. */
const shared = /[\p{scx=Zyyy}\p{scx=Zinh}]/gu;

/** Whether a text is of the restriction level "highly restrictive" of UTS 39, in scripts that are in use today. */
export function isOfOneScript(text: string): boolean {
  const own = text.replace(shared, '');
  return systems.some((system) => isIn(system, own));
}
