import type { ServiceCategory } from "@portcullis/contract/subsystems/dns-services";
import { googleDomains } from "./google-domains.ts";

/** A service of the Internet, by the names its programs resolve. */
export interface Service {
  readonly id: string;
  readonly name: string;
  readonly category: ServiceCategory;
  /** With all names below them. */
  readonly domains: readonly string[];
  /** Names whose domain also has other services. */
  readonly hosts?: readonly string[];
  /** The names for which the operator of the service publishes a restricted server, and that server. */
  readonly safeSearch?: { readonly names: readonly string[]; readonly server: string };
}

/**
 * The names are those that the programs of a service need, and that no other service needs: a domain that several share,
 * such as a content delivery network, is absent. Rules refer to the ids, so that an id is never removed or reused.
 */
export const services: readonly Service[] = [
  service(
    "youtube",
    "YouTube",
    "video",
    "youtube.com youtu.be ytimg.com googlevideo.com youtube-nocookie.com youtubekids.com yt.be",
    {
      hosts: ["youtubei.googleapis.com", "youtube.googleapis.com"],
      safeSearch: {
        names: [
          "www.youtube.com",
          "m.youtube.com",
          "www.youtube-nocookie.com",
          "youtubei.googleapis.com",
          "youtube.googleapis.com",
        ],
        server: "restrict.youtube.com",
      },
    },
  ),
  service(
    "netflix",
    "Netflix",
    "video",
    "netflix.com netflix.net nflxvideo.net nflximg.com nflximg.net nflxext.com nflxso.net fast.com",
  ),
  service(
    "disneyplus",
    "Disney+",
    "video",
    "disneyplus.com disney-plus.net dssott.com bamgrid.com disneystreaming.com",
  ),
  service(
    "primevideo",
    "Prime Video",
    "video",
    "primevideo.com aiv-cdn.net aiv-delivery.net amazonvideo.com pv-cdn.net",
  ),
  service("max", "Max", "video", "max.com hbomax.com hbo.com hbonow.com hbogo.com"),
  service("hulu", "Hulu", "video", "hulu.com hulustream.com huluim.com"),
  service("twitch", "Twitch", "video", "twitch.tv ttvnw.net jtvnw.net twitchcdn.net twitchsvc.net"),
  service("vimeo", "Vimeo", "video", "vimeo.com vimeocdn.com"),
  service("dailymotion", "Dailymotion", "video", "dailymotion.com dmcdn.net dai.ly"),
  service("rumble", "Rumble", "video", "rumble.com rmbl.ws"),
  service(
    "facebook",
    "Facebook",
    "social",
    "facebook.com facebook.net fbcdn.net fb.com fb.me fb.watch fbsbx.com messenger.com m.me",
  ),
  service("instagram", "Instagram", "social", "instagram.com cdninstagram.com ig.me"),
  service("threads", "Threads", "social", "threads.net threads.com"),
  service(
    "tiktok",
    "TikTok",
    "social",
    "tiktok.com tiktokv.com tiktokv.us tiktokcdn.com tiktokcdn-us.com tiktokcdn-eu.com ttwstatic.com muscdn.com musical.ly byteoversea.com ibytedtos.com",
  ),
  service("x", "X (Twitter)", "social", "x.com twitter.com twimg.com t.co tweetdeck.com"),
  service("snapchat", "Snapchat", "social", "snapchat.com snap.com sc-cdn.net snapkit.com snapads.com snap-dev.net"),
  service("reddit", "Reddit", "social", "reddit.com redd.it redditmedia.com redditstatic.com redditspace.com"),
  service("pinterest", "Pinterest", "social", "pinterest.com pinimg.com pin.it"),
  service("linkedin", "LinkedIn", "social", "linkedin.com licdn.com lnkd.in"),
  service("tumblr", "Tumblr", "social", "tumblr.com txmblr.com"),
  service("bluesky", "Bluesky", "social", "bsky.app bsky.social bsky.network"),
  service("vk", "VK", "social", "vk.com vk.ru vk.me userapi.com vkuser.net vk-cdn.net"),
  service("weibo", "Weibo", "social", "weibo.com weibo.cn sinaimg.cn"),
  service("9gag", "9GAG", "social", "9gag.com 9cache.com"),
  service("whatsapp", "WhatsApp", "messaging", "whatsapp.com whatsapp.net wa.me whatsappbrand.com"),
  service(
    "telegram",
    "Telegram",
    "messaging",
    "telegram.org telegram.me t.me telegram.dog telegra.ph tdesktop.com telesco.pe",
  ),
  service("signal", "Signal", "messaging", "signal.org signal.art signal.me whispersystems.org"),
  service(
    "discord",
    "Discord",
    "messaging",
    "discord.com discord.gg discordapp.com discordapp.net discord.media discord.gift",
  ),
  service("viber", "Viber", "messaging", "viber.com viber.io"),
  service("wechat", "WeChat", "messaging", "wechat.com weixin.qq.com weixinbridge.com servicewechat.com"),
  service("line", "LINE", "messaging", "line.me line-apps.com line-scdn.net naver.jp"),
  service("kik", "Kik", "messaging", "kik.com kik.live"),
  service("omegle", "Omegle", "messaging", "omegle.com omegleapp.me"),
  service(
    "steam",
    "Steam",
    "games",
    "steampowered.com steamcommunity.com steamcontent.com steamstatic.com steamserver.net steamgames.com steamusercontent.com",
  ),
  service(
    "epicgames",
    "Epic Games",
    "games",
    "epicgames.com epicgames.dev fortnite.com unrealengine.com easyanticheat.net",
  ),
  service("roblox", "Roblox", "games", "roblox.com rbxcdn.com rbx.com robloxlabs.com"),
  service("minecraft", "Minecraft", "games", "minecraft.net minecraftservices.com mojang.com minecraft-services.net"),
  service("playstation", "PlayStation", "games", "playstation.com playstation.net sonyentertainmentnetwork.com"),
  service("xbox", "Xbox", "games", "xbox.com xboxlive.com xboxservices.com xboxab.com"),
  service("nintendo", "Nintendo", "games", "nintendo.com nintendo.net nintendowifi.net nintendo-europe.com"),
  service("blizzard", "Battle.net", "games", "battle.net blizzard.com blz-contentstack.com"),
  service("ea", "Electronic Arts", "games", "ea.com origin.com eaassets-a.akamaihd.net tnt-ea.com"),
  service("riot", "Riot Games", "games", "riotgames.com leagueoflegends.com pvp.net riotcdn.net playvalorant.com"),
  service("ubisoft", "Ubisoft", "games", "ubisoft.com ubi.com uplay.com ubisoftconnect.com"),
  service(
    "spotify",
    "Spotify",
    "music",
    "spotify.com scdn.co spotifycdn.com spotifycdn.net spotify.link audio-ak-spotify-com.akamaized.net",
  ),
  service("deezer", "Deezer", "music", "deezer.com dzcdn.net"),
  service("soundcloud", "SoundCloud", "music", "soundcloud.com sndcdn.com"),
  service("tidal", "TIDAL", "music", "tidal.com tidalhifi.com wimpmusic.com"),
  service("chatgpt", "ChatGPT", "ai", "chatgpt.com openai.com oaistatic.com oaiusercontent.com sora.com"),
  service("claude", "Claude", "ai", "claude.ai claude.com anthropic.com"),
  service("gemini", "Google Gemini", "ai", "gemini.google.com bard.google.com generativelanguage.googleapis.com"),
  service("copilot", "Microsoft Copilot", "ai", "copilot.microsoft.com copilot.cloud.microsoft"),
  service("deepseek", "DeepSeek", "ai", "deepseek.com"),
  service("perplexity", "Perplexity", "ai", "perplexity.ai pplx.ai"),
  service("characterai", "Character.AI", "ai", "character.ai c.ai"),
  service("tinder", "Tinder", "dating", "tinder.com gotinder.com tindersparks.com"),
  service("bumble", "Bumble", "dating", "bumble.com bumblecdn.com"),
  service("badoo", "Badoo", "dating", "badoo.com badoocdn.com"),
  service("hinge", "Hinge", "dating", "hinge.co hingeaws.net"),
  service("okcupid", "OkCupid", "dating", "okcupid.com okccdn.com"),
  service("grindr", "Grindr", "dating", "grindr.com grindr.mobi grindr.io"),
  service("amazon", "Amazon shopping", "shopping", amazonDomains()),
  service(
    "ebay",
    "eBay",
    "shopping",
    "ebay.com ebay.de ebay.co.uk ebay.fr ebay.it ebay.es ebay.com.au ebay.ca ebayimg.com ebaystatic.com",
  ),
  service("aliexpress", "AliExpress", "shopping", "aliexpress.com aliexpress.ru aliexpress.us alicdn.com"),
  service("temu", "Temu", "shopping", "temu.com kwcdn.com"),
  service("shein", "SHEIN", "shopping", "shein.com sheincorp.com ltwebstatic.com"),
  service("google", "Google Search", "search", "", {
    hosts: googleDomains,
    safeSearch: { names: googleDomains, server: "forcesafesearch.google.com" },
  }),
  service("bing", "Bing", "search", "bing.com", {
    safeSearch: { names: ["bing.com", "www.bing.com"], server: "strict.bing.com" },
  }),
  service("duckduckgo", "DuckDuckGo", "search", "duckduckgo.com duck.com ddg.gg", {
    safeSearch: {
      names: ["duckduckgo.com", "www.duckduckgo.com", "start.duckduckgo.com"],
      server: "safe.duckduckgo.com",
    },
  }),
  service("brave-search", "Brave Search", "search", "search.brave.com", {
    safeSearch: { names: ["search.brave.com"], server: "forcesafe.search.brave.com" },
  }),
  service("ecosia", "Ecosia", "search", "ecosia.org", {
    safeSearch: { names: ["ecosia.org", "www.ecosia.org"], server: "strict-safe-search.ecosia.org" },
  }),
  service("yandex", "Yandex Search", "search", "ya.ru", {
    hosts: yandexHosts(),
    safeSearch: { names: ["ya.ru", ...yandexHosts()], server: "familysearch.yandex.ru" },
  }),
  service("pixabay", "Pixabay", "search", "pixabay.com", {
    safeSearch: { names: ["pixabay.com", "www.pixabay.com"], server: "safesearch.pixabay.com" },
  }),
  service("startpage", "Startpage", "search", "startpage.com ixquick.com"),
  service("qwant", "Qwant", "search", "qwant.com qwantjunior.com"),
  service("yahoo-search", "Yahoo Search", "search", "search.yahoo.com"),
];

/** Ids of the categories, which rules can name in place of a service. */
export const servicesOf = (pattern: string): readonly Service[] =>
  services.filter(({ id, category }) => id === pattern || category === pattern);

function service(
  id: string,
  name: string,
  category: ServiceCategory,
  domains: string,
  more: Pick<Service, "hosts" | "safeSearch"> = {},
): Service {
  return { id, name, category, domains: domains.split(" ").filter(Boolean), ...more };
}

function amazonDomains(): string {
  const countries = "com de co.uk fr it es nl pl se ca com.mx com.br com.au co.jp in sg ae sa eg com.tr com.be".split(
    " ",
  );
  return [...countries.map((it) => `amazon.${it}`), "media-amazon.com", "ssl-images-amazon.com"].join(" ");
}

function yandexHosts(): readonly string[] {
  const countries = "ru com com.tr ua by kz uz com.am com.ge az co.il ee fr kg lt lv md tj tm eu".split(" ");
  return countries.flatMap((it) => [`yandex.${it}`, `www.yandex.${it}`]);
}
