/** Common names of the most used emoji, as in other chats; all others come from the keyboard. */
const named = `
+1 👍|thumbsup 👍|-1 👎|thumbsdown 👎|ok_hand 👌|clap 👏|wave 👋|raised_hands 🙌|pray 🙏|muscle 💪|handshake 🤝|point_up ☝️
point_right 👉|point_left 👈|point_down 👇|v ✌️|crossed_fingers 🤞|raised_hand ✋|fist ✊|punch 👊|writing_hand ✍️|eyes 👀
smile 😄|smiley 😃|grin 😁|grinning 😀|joy 😂|rofl 🤣|sweat_smile 😅|laughing 😆|blush 😊|slightly_smiling_face 🙂
upside_down_face 🙃|wink 😉|heart_eyes 😍|kissing_heart 😘|yum 😋|stuck_out_tongue 😛|sunglasses 😎|nerd_face 🤓|star_struck 🤩
partying_face 🥳|smirk 😏|unamused 😒|disappointed 😞|pensive 😔|worried 😟|confused 😕|cry 😢|sob 😭|angry 😠|rage 😡
exploding_head 🤯|flushed 😳|scream 😱|fearful 😨|cold_sweat 😰|hugs 🤗|thinking 🤔|shushing_face 🤫|neutral_face 😐
expressionless 😑|rolling_eyes 🙄|grimacing 😬|relieved 😌|sleeping 😴|mask 😷|nauseated_face 🤢|sneezing_face 🤧|hot_face 🥵
cold_face 🥶|woozy_face 🥴|dizzy_face 😵|open_mouth 😮|astonished 😲|pleading_face 🥺|saluting_face 🫡|melting_face 🫠
skull 💀|ghost 👻|alien 👽|robot 🤖|poop 💩|clown_face 🤡|see_no_evil 🙈|facepalm 🤦|shrug 🤷
heart ❤️|orange_heart 🧡|yellow_heart 💛|green_heart 💚|blue_heart 💙|purple_heart 💜|black_heart 🖤|white_heart 🤍
broken_heart 💔|two_hearts 💕|sparkling_heart 💖|100 💯|fire 🔥|sparkles ✨|star ⭐|star2 🌟|boom 💥|zap ⚡|tada 🎉
confetti_ball 🎊|balloon 🎈|gift 🎁|trophy 🏆|medal_sports 🏅|1st_place_medal 🥇|rocket 🚀|airplane ✈️|car 🚗|bike 🚲|house 🏠
sunny ☀️|cloud ☁️|rainbow 🌈|snowflake ❄️|umbrella ☔|ocean 🌊|seedling 🌱|herb 🌿|four_leaf_clover 🍀|rose 🌹|sunflower 🌻
coffee ☕|tea 🍵|beer 🍺|beers 🍻|wine_glass 🍷|champagne 🍾|pizza 🍕|hamburger 🍔|taco 🌮|cake 🍰|birthday 🎂|cookie 🍪|apple 🍎
dog 🐶|cat 🐱|mouse 🐭|rabbit 🐰|fox_face 🦊|bear 🐻|panda_face 🐼|penguin 🐧|bird 🐦|unicorn 🦄|bee 🐝|bug 🐛|turtle 🐢|snail 🐌
white_check_mark ✅|heavy_check_mark ✔️|x ❌|warning ⚠️|no_entry ⛔|question ❓|exclamation ❗|bulb 💡|memo 📝|pushpin 📌
link 🔗|lock 🔒|key 🔑|bell 🔔|mag 🔍|calendar 📅|alarm_clock ⏰|hourglass ⌛|computer 💻|phone 📞|email 📧|package 📦
wrench 🔧|hammer 🔨|gear ⚙️|construction 🚧|chart_with_upwards_trend 📈|moneybag 💰|books 📚|art 🎨|musical_note 🎵|camera 📷
soccer ⚽|basketball 🏀|dart 🎯|game_die 🎲|checkered_flag 🏁|earth_africa 🌍|earth_americas 🌎|speech_balloon 💬|zzz 💤`;

/** The emoji that have names, each with one of its names. */
export const namedEmoji = named.split(/[|\n]/).flatMap((entry) => {
  const [name, emoji] = entry.split(' ');
  return name && emoji ? [{ name, emoji }] : [];
});
