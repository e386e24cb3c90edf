"""Sentences of the login and of what is open to whom, in Chinese and in English."""

from __future__ import annotations

WORDS: dict[str, tuple[str, str]] = {
    "login.lead": ("请先登录，登录后会回到这个网址。", "Please log in; you will come back to this address."),
    "login.expired": ("登录已过期，请重新登录。", "Your login has expired; please log in again."),
    "login.enter": ("登录", "Log in"),
    "login.leave": ("退出登录", "Log out"),
    "login.checking": ("正在连接登录服务……", "Reaching the identity provider …"),
    "login.unfinished": (
        "上次登录没有完成，请再试一次；如果仍不行，请联系管理员。",
        "The last login did not come to its end; try again, and if it still fails, ask the administrator.",
    ),
    "login.stranger": (
        "账号“{name}”不在可以使用开卷的组里，请联系管理员，或换一个账号登录。",
        "The account “{name}” is in no group that may use Kaijuan; ask the administrator, or log in as somebody else.",
    ),
    "login.unreachable": (
        "登录服务 {address} 连不上或答复不完整，请稍后再试；如果仍不行，请管理员检查 server_metadata_url。",
        "The identity provider at {address} cannot be reached or says too little; try again later, or have the administrator check server_metadata_url.",
    ),
    "login.no_authlib": (
        "设置了 KAIJUAN_LOGIN=oidc，但没有安装 Authlib，请管理员运行 scripts/setup 后重新启动。",
        "KAIJUAN_LOGIN=oidc is set but Authlib is not installed; the administrator has to run scripts/setup and start again.",
    ),
    "login.no_secrets": (
        "设置了 KAIJUAN_LOGIN=oidc，但 .streamlit/secrets.toml 里没有可用的 [auth] 一节，请管理员补上后重新启动。",
        "KAIJUAN_LOGIN=oidc is set but .streamlit/secrets.toml has no usable section [auth]; the administrator has to add it and start again.",
    ),
    "login.missing": (
        ".streamlit/secrets.toml 的 [auth] 里缺少 {names}，请管理员补上后重新启动。",
        "The section [auth] of .streamlit/secrets.toml lacks {names}; the administrator has to add it and start again.",
    ),
    "login.bad_redirect": (
        "[auth] 里的 redirect_uri“{value}”不是以 /oauth2callback 结尾的网址，请管理员改正后重新启动。",
        "redirect_uri “{value}” of [auth] is no address that ends in /oauth2callback; the administrator has to correct it and start again.",
    ),
    "login.bad_metadata": (
        "[auth] 里的 server_metadata_url“{value}”不是网址，请管理员改正后重新启动。",
        "server_metadata_url “{value}” of [auth] is no address; the administrator has to correct it and start again.",
    ),
    "login.short_secret": (
        "[auth] 里的 cookie_secret 不到 {least} 个字符，可能被猜出，请管理员换成随机的长字符串后重新启动。",
        "cookie_secret of [auth] has fewer than {least} characters and could be guessed; the administrator has to choose a long random one and start again.",
    ),
    "login.open_to_others": (
        "没有开启登录，而服务监听 {address}：连得上的人都能提问和看资料；请设置 KAIJUAN_LOGIN=oidc，或只监听（在容器里：只发布到）127.0.0.1。",
        "There is no login, and the server listens on {address}: whoever can connect may ask and read; set KAIJUAN_LOGIN=oidc, or listen on (in a container: publish to) 127.0.0.1 only.",
    ),
    "login.groups": ("所在的组：{groups}", "Groups: {groups}"),
    "login.no_groups": ("不在任何组里，只看得到公开资料", "In no group: sees open documents only"),
    "login.everything": ("看得到全部资料", "Sees every document"),
    "login.admin": ("管理员", "Administrator"),
    "login.only_admins": (
        "这里只对管理员开放，请联系管理员把你加进管理员的组。",
        "This is for administrators only; ask one of them to add you to their group.",
    ),
    "login.no_admins": (
        "这里只对管理员开放，而 KAIJUAN_ADMIN_GROUPS 没有指定任何组，请在设置里指定后重新启动。",
        "This is for administrators only, and KAIJUAN_ADMIN_GROUPS names no group; name one in the settings and start again.",
    ),
}
