// Whether what a key means is what is seen: a picture that comes late is waited for, and so is an answer that tells what stands.

import { store } from "./store.js";

/** Resolves to whether the frame that is meant is on the screen; who went on meanwhile is told that nothing was labelled. */
export const isSeen = (page, player, say) =>
  store.during(async () => {
    store.waiting += 1;
    return settled(page, player, say).finally(() => (store.waiting -= 1));
  });

async function settled(page, player, say) {
  const [id, layer, to] = [store.id, page.layer, player.target ?? player.frame];
  if (player.playing && store.isUnsure) player.pause();
  if (player.frame !== to) await player.seek(to);
  if (store.isUnsure) await store.queue;
  const isSame = store.id === id && page.layer === layer && !store.isOpening;
  if (isSame && to >= 0 && player.frame === to && (player.target ?? to) === to) return true;
  say(player.trouble ? `Nothing was labelled: ${player.trouble}` : "The picture was not there yet, so nothing was labelled.", true);
  return false;
}
