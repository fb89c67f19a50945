# SPDX-License-Identifier: Apache-2.0
"""Which collations Spark has, known without a JVM."""

import re

BINARY = "spark.UTF8_BINARY"

# CollationFactory.getICULocaleNames of Spark 4.2; a test compares them with the installed Spark.
_NAMES = """
    UNICODE af am ar ar_SAU as az be bg blo bn bo br bs bs_Cyrl ca ceb chr cs cy da de de_AUT dsb dz
    ee el en en_USA eo es et fa fa_AFG ff ff_Adlm fi fil fo fr fr_CAN fy ga gl gu ha haw he he_ISR
    hi hr hsb hu hy id id_IDN ig is it ja ka kk kk_Arab kl km kn ko kok ku ky lb lij lkt ln lo lt lv
    mk ml mn mr ms mt my nb nb_NOR ne nl nn no nso om or pa pa_Guru pa_Guru_IND pl ps pt ro ru sa se
    si sk sl smn sq sr sr_Cyrl sr_Cyrl_BIH sr_Cyrl_MNE sr_Cyrl_SRB sr_Latn sr_Latn_BIH sr_Latn_SRB
    st sv sw ta te th tk tn to tr ug uk ur uz vi wae wo xh yi yo zh zh_Hans zh_Hans_CHN zh_Hans_SGP
    zh_Hant zh_Hant_HKG zh_Hant_MAC zh_Hant_TWN zu
"""
LOCALES = frozenset(_NAMES.split())

_SPELLING = {name.upper(): name for name in LOCALES}

# Spark names countries by three letters, and other writers by two.
_COUNTRIES = {
    "AF": "AFG", "AT": "AUT", "BA": "BIH", "CA": "CAN", "CN": "CHN", "HK": "HKG", "ID": "IDN",
    "IL": "ISR", "IN": "IND", "ME": "MNE", "MO": "MAC", "NO": "NOR", "RS": "SRB", "SA": "SAU",
    "SG": "SGP", "TW": "TWN", "US": "USA",
}  # fmt: skip

# Countries that write a language in another script: ICU orders it as that script there.
_OTHER_SCRIPTS = {
    "UNICODE": """
        az_IQ az_IR az_RU ha_CM ha_SD ku_AM ku_AZ ku_GE ku_IQ ku_IR ku_LB ku_TM ky_CN mn_CN pa_PK
        ug_KZ ug_MN uz_AF uz_CN
    """,
    "kk_Arab": "kk_AF kk_CN kk_IR kk_MN",
    "zh_Hant": "zh_AU zh_BN zh_GB zh_GF zh_ID zh_PA zh_PF zh_PH zh_SR zh_TH zh_US zh_VN",
    "zh_Hant_HKG": "zh_HK",
    "zh_Hant_MAC": "zh_MO",
    "zh_Hant_TWN": "zh_TW",
}
_BY_COUNTRY = {
    name.upper(): locale for locale, names in _OTHER_SCRIPTS.items() for name in names.split()
}

_SPECIFIERS = {"CI": 0, "CS": 0, "AI": 1, "AS": 1, "RTRIM": 2}
_DEFAULTS = {"CS", "AS"}

# No locale has a longer name, whatever follows it.
_LONGEST_NAME = 100


def resolved(identifier: str) -> str | None:
    """Return ``provider.name`` of Spark's collation for an identifier of a schema, if it has one.

    As in the jar, letter case does not count, nor does a version, and the provider only has to be
    one of Spark's two: Spark finds a collation by its name alone.
    """
    provider, _, rest = identifier.partition(".")
    name, dot, version = rest.partition(".")
    if provider.lower() not in {"icu", "spark"} or not name or (dot and not version):
        return None
    if len(name) > _LONGEST_NAME:
        return None
    upper = name.upper()
    if upper.startswith("UTF8_"):
        known = re.fullmatch(r"UTF8_(BINARY|LCASE)(_RTRIM)?", upper)
        return f"spark.{upper}" if known else None
    locale, *rest_of_name = upper.split("_")
    specifiers: list[str] = []
    while rest_of_name and rest_of_name[-1] in _SPECIFIERS:
        specifiers.insert(0, rest_of_name.pop())
    found = _locale("_".join([locale, *rest_of_name]), is_icu=provider.lower() == "icu")
    kinds = [_SPECIFIERS[specifier] for specifier in specifiers]
    if found is None or len(set(kinds)) < len(kinds):
        return None
    said = sorted(set(specifiers) - _DEFAULTS, key=lambda specifier: _SPECIFIERS[specifier])
    return "icu." + "_".join([found, *said])


def is_total(name: str) -> bool:
    """Tell whether a collation of Spark is an order, so that bounds mean something."""
    contradicts_itself = r"icu\.(.*(?<!_CI)_AI|(th|fr_CAN)(_CI)?)(_RTRIM)?"
    return re.fullmatch(contradicts_itself, name) is None


def _locale(upper: str, *, is_icu: bool) -> str | None:
    """Return Spark's name for a locale; one whose country Spark does not list is its language."""
    if upper in _SPELLING or not is_icu:
        return _SPELLING.get(upper)
    base, _, country = upper.rpartition("_")
    if upper in _BY_COUNTRY or not re.fullmatch("[A-Z]{2}", country):
        return _BY_COUNTRY.get(upper)
    return _SPELLING.get(f"{base}_{_COUNTRIES.get(country)}", _SPELLING.get(base))
