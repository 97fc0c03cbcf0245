/** Emoji that are shown as text unless a variation selector follows (Unicode 17): code points and ranges. */
const shownAsText = `
  a9 ae 203c 2049 2122 2139 2194-2199 21a9-21aa 2328 23cf 23ed-23ef 23f1-23f2 23f8-23fa 24c2 25aa-25ab 25b6 25c0
  25fb-25fc 2600-2604 260e 2611 2618 261d 2620 2622-2623 2626 262a 262e-262f 2638-263a 2640 2642 265f-2660 2663
  2665-2666 2668 267b 267e 2692 2694-2697 2699 269b-269c 26a0 26a7 26b0-26b1 26c8 26cf 26d1 26d3 26e9 26f0-26f1
  26f4 26f7-26f9 2702 2708-2709 270c-270d 270f 2712 2714 2716 271d 2721 2733-2734 2744 2747 2763-2764 27a1
  2934-2935 2b05-2b07 3030 303d 3297 3299 1f170-1f171 1f17e-1f17f 1f202 1f237 1f321 1f324-1f32c 1f336 1f37d
  1f396-1f397 1f399-1f39b 1f39e-1f39f 1f3cb-1f3ce 1f3d4-1f3df 1f3f3 1f3f5 1f3f7 1f43f 1f441 1f4fd 1f549-1f54a
  1f56f-1f570 1f573-1f579 1f587 1f58a-1f58d 1f590 1f5a5 1f5a8 1f5b1-1f5b2 1f5bc 1f5c2-1f5c4 1f5d1-1f5d3
  1f5dc-1f5de 1f5e1 1f5e3 1f5e8 1f5ef 1f5f3 1f5fa 1f6cb 1f6cd-1f6cf 1f6e0-1f6e5 1f6e9 1f6f0 1f6f3`;

const escaped = shownAsText
  .trim()
  .replace(/[\da-f]+/g, (code) => `\\U${code.padStart(8, '0')}`)
  .replace(/\s+/g, '');

/**
 * SQL of the form in which reactions keep an emoji: with the variation selectors that Unicode asks for, and no others. The
 * contract has the same rule, `emojiForm`; migrations refer to it, so it stays as it is.
 * @param emoji SQL of a text
 */
export const emojiFormOf = (emoji: string): string => {
  const steps = [
    ['[\\ufe0e\\ufe0f]', "''"],
    [`([${escaped}])`, "'\\1' || U&'\\FE0F'"],
    // What has a skin colour needs none, and a digit only as a keycap.
    ['\\ufe0f([\\U0001f3fb-\\U0001f3ff])', "'\\1'"],
    ['([0-9#*])\\u20e3', "'\\1' || U&'\\FE0F\\20E3'"],
  ];
  return steps.reduce((sql, [found, form]) => `regexp_replace(${sql}, '${found}', ${form}, 'g')`, emoji);
};
